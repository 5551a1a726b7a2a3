// A mancala program of the course that fills its standard error for each pit, without an end of line, says everything in
// small letters, and leaves its standard output to be flushed by whoever reads it.
#include <cstdio>
#include <cstring>

int main() {
    char word[64], last[64] = "ok";
    int player = 0;
    while (scanf("%63s", word) == 1) {
        if (!strcmp(word, "PING")) {
            strcpy(last, "pong");
        } else if (!strcmp(word, "GETNAME")) {
            strcpy(last, "gossip");
        } else if (!strcmp(word, "TIMEOUT")) {
            scanf("%*d"); // and the last answer again
        } else if (!strcmp(word, "SETPLAYER")) {
            scanf("%d", &player);
            strcpy(last, "ok");
        } else if (!strcmp(word, "GETMOVE")) {
            int count, board[2][7], pit = 1;
            scanf("%d", &count);
            for (int i = 0; i <= count; ++i) scanf("%*d"); // the pits, and whose turn it is
            for (auto& row : board)
                for (int& seeds : row) scanf("%d", &seeds);
            for (int i = 0; i < 6000; ++i) fputs("what a board! ", stderr);
            while (board[player][pit] == 0) ++pit;
            snprintf(last, sizeof last, "+%d", pit);
        } else {
            strcpy(last, "ok");
        }
        printf("%s\n", last);
    }
}
