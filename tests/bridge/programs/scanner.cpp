// A mancala program of the course that reads with scanf and writes with cout, whose buffer it empties with endl alone.
// It greets on standard error, takes any argument for a mistake, and ends itself at END.
#include <cstdio>
#include <cstring>
#include <iostream>

int main(int argc, char**) {
    if (argc != 1) return 2;
    std::ios::sync_with_stdio(false);
    std::cerr << "scanner is here\n";
    char word[64];
    int player = 0;
    while (scanf("%63s", word) == 1) {
        if (!strcmp(word, "PING")) {
            std::cout << "PONG" << std::endl;
        } else if (!strcmp(word, "GETNAME")) {
            std::cout << "scanner" << std::endl;
        } else if (!strcmp(word, "TIMEOUT")) {
            int ms;
            scanf("%d", &ms);
            std::cout << ms << std::endl;
        } else if (!strcmp(word, "SETPLAYER")) {
            scanf("%d", &player);
            std::cout << "OK" << std::endl;
        } else if (!strcmp(word, "GETMOVE")) {
            int count, number, board[2][7];
            scanf("%d", &count);
            while (count-- > 0) scanf("%d", &number);
            scanf("%d", &number);
            for (auto& row : board)
                for (int& cell : row) scanf("%d", &cell);
            int best = 0;
            for (int pit = 1; pit <= 6; pit++)
                if (board[player][pit] > (best ? board[player][best] : 0)) best = pit;
            std::cout << best << std::endl;
        } else {
            std::cout << "OK" << std::endl;
            if (!strcmp(word, "END")) return 0;
        }
    }
    return 1;
}
