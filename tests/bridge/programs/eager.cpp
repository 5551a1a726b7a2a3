// A mancala program of the course that speaks before it is asked: PONG and its name at once, OK and a guess for the next
// pit behind each answer; and whatever its last answer was, after TIMEOUT.
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main() {
    std::cout << "PONG\neager\n" << std::flush;
    std::string line, last = "OK";
    int player = 0;
    while (std::getline(std::cin, line)) {
        if (line == "PING") {
            std::cout << (last = "PONG") << std::endl;
        } else if (line == "GETNAME") {
            std::cout << (last = "eager") << std::endl;
        } else if (line == "TIMEOUT") {
            std::getline(std::cin, line);
            std::cout << last << std::endl;
        } else if (line == "SETPLAYER") {
            std::getline(std::cin, line);
            player = std::stoi(line);
            std::cout << (last = "OK") << std::endl;
        } else if (line == "GETMOVE") {
            std::getline(std::cin, line);
            std::istringstream words(line);
            std::vector<int> numbers;
            for (int number; words >> number;) numbers.push_back(number);
            const int* mine = &numbers[numbers.size() - 14 + 7 * player];
            int pit = 6;
            while (mine[pit] == 0) --pit;
            last = std::to_string(pit);
            std::cout << pit << "\nOK\n" << pit % 6 + 1 << std::endl;
        } else {
            std::cout << "OK" << std::endl;
        }
    }
}
