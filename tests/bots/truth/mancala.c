/* Made mancala.txt: 500 positions and what they are worth. It shares nothing with the solver that the tests hold
 * against it: rules of its own, alpha-beta over the final difference, a table and no book.
 *
 *     cc -O2 -o mancala mancala.c && ./mancala > mancala.txt
 *
 * A line: the actions played, from 0; and the final difference of the stores for the player to move, both at best.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PITS = 6, SLOTS = 1 << 24, MOST = 100, HARD = 27 };
typedef struct { int pit[2][PITS], store[2], mover, over; } Board; /* pit[who][0] lies beside the store of `who` */
typedef struct { uint64_t key; int8_t low, high; } Slot;
static Slot *table;
static uint64_t seed = 20262;

static uint64_t next_random(void) { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return seed * 2685821657736338717ull; }

static int row(const Board *board, int who) {
    int sum = 0;
    for (int i = 0; i < PITS; i++) sum += board->pit[who][i];
    return sum;
}

static Board after(Board board, int action) {
    int me = board.mover, you = 1 - me, side = me, at = action, seeds = board.pit[me][action];
    board.pit[me][action] = 0;
    while (seeds-- > 0) {
        if (at == 0 && side == me) at = -1, board.store[me]++;      /* the own store */
        else if (at <= 0) side = 1 - side, at = PITS - 1, board.pit[side][at]++;
        else board.pit[side][--at]++;
    }
    if (at >= 0) {
        int facing = PITS - 1 - at;
        if (side == me && board.pit[me][at] == 1 && board.pit[you][facing] > 0) {
            board.store[me] += 1 + board.pit[you][facing];
            board.pit[me][at] = board.pit[you][facing] = 0;
        }
        board.mover = you;
    }
    if (row(&board, 0) == 0 || row(&board, 1) == 0)
        for (int who = board.over = 1; who >= 0; who--) {
            board.store[who] += row(&board, who);
            for (int i = 0; i < PITS; i++) board.pit[who][i] = 0;
        }
    return board;
}

/* What is still to be won from here, for the mover. */
static int search(const Board *board, int alpha, int beta) {
    int me = board->mover, best = -MOST, first_alpha = alpha, low = -MOST, high = MOST;
    uint64_t key = 1;
    for (int who = 0; who < 2; who++) for (int i = 0; i < PITS; i++) key = key << 5 | board->pit[who == 0 ? me : 1 - me][i];
    Slot *slot = &table[key * 11400714819323198485ull >> 40];
    if (slot->key == key) {
        low = slot->low, high = slot->high;
        if (low >= beta) return low;
        if (high <= alpha || low == high) return high;
    }
    for (int round = 0; round < 2; round++)
        for (int action = 0; action < PITS && best < beta; action++) {
            int seeds = board->pit[me][action];
            if (seeds == 0 || (seeds == action + 1) != (round == 0)) continue; /* another turn first */
            Board child = after(*board, action);
            int won = (child.store[me] - board->store[me]) - (child.store[1 - me] - board->store[1 - me]);
            int rest = child.over ? 0 : child.mover == me ? search(&child, alpha - won, beta - won) : -search(&child, won - beta, won - alpha);
            if (won + rest > best) best = won + rest;
            if (best > alpha) alpha = best;
        }
    if (slot->key != key) low = -MOST, high = MOST;
    if (best > first_alpha) low = best;
    if (best < beta) high = best;
    slot->key = key, slot->low = low, slot->high = high;
    return best;
}

int main(void) {
    table = calloc(SLOTS, sizeof *table);
    for (int found = 0; found < 500;) {
        Board board = {{{4, 4, 4, 4, 4, 4}, {4, 4, 4, 4, 4, 4}}, {0, 0}, 0, 0};
        int plies = 8 + next_random() % 40, played = 0;
        char line[64] = "";
        while (played < plies && !board.over) {
            int action = next_random() % PITS;
            if (board.pit[board.mover][action] == 0) continue;
            line[played++] = '0' + action;
            board = after(board, action);
        }
        int left = row(&board, 0) + row(&board, 1);
        if (board.over || left > HARD || (left < 8 && next_random() % 4)) continue; /* few of the easy ones */
        int lead = board.store[board.mover] - board.store[1 - board.mover];
        printf("%s %d\n", line, lead + search(&board, -MOST, MOST));
        fflush(stdout);
        found++;
    }
}
