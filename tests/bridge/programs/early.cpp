// A mancala program of the course that answers before it has read everything, with CR LF and blanks, and that never ends:
// neither by END, nor by the end of its input, nor by a signal that can be caught.
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>
#include <unistd.h>

static void answer(const std::string& text) { std::cout << ' ' << text << " \t\r\n" << std::flush; }

int main() {
    for (int number : {SIGTERM, SIGINT, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
    std::string word;
    int player = 0, rest = 0;
    while (std::cin >> word) {
        if (word == "PING") {
            answer("PONG");
        } else if (word == "GETNAME") {
            answer("the early bird, 2nd edition");
        } else if (word == "TIMEOUT") {
            answer("");
            std::cin >> rest;
        } else if (word == "SETPLAYER") {
            answer("OK");
            std::cin >> player;
        } else if (word == "GETMOVE") {
            int count, pit = 0;
            std::cin >> count;
            for (; count > 0; count--) std::cin >> rest;
            std::cin >> rest;
            for (int cell = 0; cell < 14; cell++) {
                int seeds;
                std::cin >> seeds;
                if (pit == 0 && seeds > 0 && cell % 7 != 0 && cell / 7 == player) {
                    pit = cell % 7;
                    answer(std::to_string(pit));
                }
            }
        } else {
            answer("OK");
        }
    }
    for (;;) pause();
}
