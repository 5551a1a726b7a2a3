// Looks two plies ahead in connect four (on any board), in mancala, and in desconecta4 (where it takes no account of BOOM).
//
//     c++ -O2 -std=c++17 -o two_ply two_ply.cpp
//     palestra bridge --server ws://HOST:8765 --name ana -- ./two_ply
//
// The lines that it reads and writes are described in protocol/LINES.md.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

// A position of one of the games, from which one can look ahead.
struct Board {
    int to_move = 0;
    virtual ~Board() = default;
    virtual std::vector<int> legal() const = 0;
    virtual std::unique_ptr<Board> apply(int action) const = 0;
    virtual bool over() const = 0;
    virtual double value(int seat) const = 0;  // what it looks worth to this seat
};

struct Connect4 : Board {
    std::vector<std::string> rows;  // the bottom row first; '0' is empty, '1' and '2' are the players
    int winner = -1;
    bool misere;  // desconecta4: a line loses

    Connect4(std::istream& text, bool misere) : misere(misere) {
        std::string cells, row;
        text >> to_move >> cells;
        for (char& cell : cells)
            if (cell > '3') cell -= 3;  // a bomb ('4', '5') is a piece like another
        for (std::istringstream lines(cells); std::getline(lines, row, '/');) rows.push_back(row);
    }

    std::vector<int> legal() const override {
        std::vector<int> open;
        for (size_t col = 0; col < rows[0].size() && winner < 0; col++)
            if (rows.back()[col] == '0') open.push_back(static_cast<int>(col));
        return open;
    }

    std::unique_ptr<Board> apply(int col) const override {
        auto after = std::make_unique<Connect4>(*this);
        size_t row = 0;
        while (after->rows[row][col] != '0') row++;
        after->rows[row][col] = static_cast<char>('1' + to_move);
        for (auto [down, right] : {std::pair{0, 1}, {1, 0}, {1, 1}, {1, -1}})
            if (after->run(row, col, down, right) + after->run(row, col, -down, -right) >= 3)
                after->winner = misere ? 1 - to_move : to_move;
        after->to_move = 1 - to_move;
        return after;
    }

    bool over() const override { return legal().empty(); }

    double value(int seat) const override {
        if (winner >= 0) return winner == seat ? 1000 : -1000;
        double middle = (rows[0].size() - 1) / 2.0, sum = 0;
        for (const auto& row : rows)
            for (size_t col = 0; col < row.size(); col++)
                if (row[col] == '1' + seat) sum -= std::abs(col - middle);
        return misere ? -sum : sum;
    }

   private:
    int run(int row, int col, int down, int right) const {
        int length = 0;
        char piece = rows[row][col];
        for (int r = row + down, c = col + right;
             r >= 0 && r < static_cast<int>(rows.size()) && c >= 0 && c < static_cast<int>(rows[0].size()) && rows[r][c] == piece;
             r += down, c += right)
            length++;
        return length;
    }
};

struct Mancala : Board {
    int cells[2][7];  // the store, then pits 1 to 6; pit 1 is beside the store

    explicit Mancala(std::istream& text) {
        text >> to_move;
        for (auto& side : cells)
            for (int& cell : side) text >> cell;
    }

    std::vector<int> legal() const override {
        std::vector<int> pits;
        for (int pit = 1; pit <= 6; pit++)
            if (cells[to_move][pit]) pits.push_back(pit - 1);
        return pits;
    }

    std::unique_ptr<Board> apply(int action) const override {
        auto after = std::make_unique<Mancala>(*this);
        auto& board = after->cells;
        int side = to_move, pit = action + 1, me = to_move, them = 1 - me;
        int seeds = board[me][pit];
        board[me][pit] = 0;
        while (seeds > 0) {
            if (--pit < 0 || (pit == 0 && side == them)) {  // past the store; the opponent's is left out
                side = 1 - side;
                pit = 6;
            }
            board[side][pit]++;
            seeds--;
        }
        if (pit > 0 && side == me && board[me][pit] == 1 && board[them][7 - pit] > 0) {
            board[me][0] += 1 + board[them][7 - pit];
            board[me][pit] = board[them][7 - pit] = 0;
        }
        if (pit != 0) after->to_move = them;
        for (int seat : {0, 1})
            if (std::count(board[seat] + 1, board[seat] + 7, 0) == 6)
                for (auto& row : board)
                    for (int p = 1; p <= 6; p++) row[0] += row[p], row[p] = 0;
        return after;
    }

    bool over() const override { return std::count(cells[0] + 1, cells[0] + 7, 0) == 6; }
    double value(int seat) const override { return cells[seat][0] - cells[1 - seat][0]; }
};

// What a position is worth to `me` once the opponent has answered; as it stands if it is over or it is my turn again.
double look_ahead(const Board& board, int me) {
    if (board.over() || board.to_move == me) return board.value(me);
    double worst = std::numeric_limits<double>::infinity();
    for (int reply : board.legal()) worst = std::min(worst, board.apply(reply)->value(me));
    return worst;
}

int main() {
    std::string line, word, game;
    int seat = 0;
    std::unique_ptr<Board> board;
    std::vector<int> legal;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        words >> word;
        if (word == "game") {
            words >> game;
        } else if (word == "seat") {
            words >> seat;
        } else if (word == "start") {
            std::cout << "name two-ply-cpp\nready" << std::endl;
        } else if (word == "position" && game == "mancala") {
            board = std::make_unique<Mancala>(words);
        } else if (word == "position" && (game.rfind("connect4", 0) == 0 || game == "desconecta4")) {
            board = std::make_unique<Connect4>(words, game == "desconecta4");
        } else if (word == "legal") {
            legal.clear();
            for (int action; words >> action;) legal.push_back(action);
        } else if (word == "go") {
            int best = legal[std::rand() % legal.size()];
            double most = -std::numeric_limits<double>::infinity();
            for (int action : board ? legal : std::vector<int>{}) {
                auto known = board->legal();
                bool boom = std::find(known.begin(), known.end(), action) == known.end();
                double value = boom ? -500 : look_ahead(*board->apply(action), seat);  // BOOM: when all else loses
                if (value > most) most = value, best = action;
            }
            if (board) std::cout << "info depth 2 value " << most << "\n";
            std::cout << "move " << best << std::endl;
        } else if (word == "end") {
            break;
        }
    }
}
