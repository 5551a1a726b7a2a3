// A mancala program of the course with everything that real ones do: no flush, CR LF, blanks behind and lines between,
// its last answer once more after TIMEOUT, a word too much, and much on standard error.
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

static std::string last = "hello";

static void answer(const std::string& text) {
    last = text;
    printf("%s  \r\n", text.c_str());
}

int main() {
    std::string word;
    int player = 0;
    printf("quirky 1.0\n\n");
    while (std::cin >> word) {
        if (word == "PING") {
            answer("PONG");
        } else if (word == "GETNAME") {
            answer("quirky");
        } else if (word == "TIMEOUT") {
            int ms;
            std::cin >> ms;
            fprintf(stderr, "I have %d ms\n", ms);
            answer(last);
        } else if (word == "SETPLAYER") {
            std::cin >> player;
            answer("OK");
        } else if (word == "GETMOVE") {
            int n, turn;
            std::cin >> n;
            std::vector<int> moves(n);
            for (int& move : moves) std::cin >> move;
            std::cin >> turn;
            int board[14];
            for (int& cell : board) std::cin >> cell;
            const int* pits = board + 7 * player;
            int pit = 1;
            while (pits[pit] == 0) pit++;
            fprintf(stderr, "player %d of %d, after", player, turn);
            for (int move : moves) fprintf(stderr, " %d", move);
            fprintf(stderr, "\n");
            answer(std::to_string(pit));
            printf("\r\n");
        } else if (word == "END") {
            answer("OK");
        }
    }
}
