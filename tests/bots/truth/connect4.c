/* Made connect4.txt: 500 positions and what they are worth. It shares nothing with the solvers that the tests hold
 * against it: cells in an array, lines counted from the last stone, alpha-beta with a table.
 *
 *     cc -O2 -o connect4 connect4.c && ./connect4 > connect4.txt
 *
 * A line: the columns played, from 0; and the score for the player to move, as of Pascal Pons: a win with the last of
 * one's own 21 stones is 1, with the one before it 2; a loss is negative, a draw 0.
 */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, COLS = 7, CELLS = 42, SLOTS = 1 << 23 };
static int cell[COLS][ROWS], height[COLS], stones; /* 0 empty, else 1 or 2 */
static uint64_t random_of[3][CELLS];
typedef struct { uint64_t key; int8_t low, high; } Slot;
static Slot *table;
static uint64_t seed = 20261;

static uint64_t next_random(void) { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return seed * 2685821657736338717ull; }

static int run(int col, int row, int across, int up, int who) {
    int count = 0;
    for (col += across, row += up; col >= 0 && col < COLS && row >= 0 && row < ROWS && cell[col][row] == who; col += across, row += up) count++;
    return count;
}

static int wins(int col, int who) { /* if `who` drops a stone there */
    int row = height[col];
    return run(col, row, 0, -1, who) >= 3 || run(col, row, 1, 0, who) + run(col, row, -1, 0, who) >= 3
        || run(col, row, 1, 1, who) + run(col, row, -1, -1, who) >= 3 || run(col, row, 1, -1, who) + run(col, row, -1, 1, who) >= 3;
}

static int search(int alpha, int beta, uint64_t key) {
    static const int order[COLS] = {3, 2, 4, 1, 5, 0, 6};
    int who = stones % 2 + 1, best = -CELLS, first_alpha = alpha;
    if (stones == CELLS) return 0;
    for (int col = 0; col < COLS; col++)
        if (height[col] < ROWS && wins(col, who)) return (CELLS + 1 - stones) / 2;
    Slot *slot = &table[key % SLOTS];
    int low = -CELLS, high = CELLS;
    if (slot->key == key) {
        low = slot->low, high = slot->high;
        if (low >= beta) return low;
        if (high <= alpha || low == high) return high;
    }
    for (int i = 0; i < COLS && best < beta; i++) {
        int col = order[i], row = height[col];
        if (row == ROWS) continue;
        cell[col][row] = who, height[col]++, stones++;
        int value = -search(-beta, -alpha, key ^ random_of[who][col * ROWS + row]);
        cell[col][row] = 0, height[col]--, stones--;
        if (value > best) best = value;
        if (value > alpha) alpha = value;
    }
    if (slot->key != key) low = -CELLS, high = CELLS;
    if (best > first_alpha) low = best;
    if (best < beta) high = best;
    slot->key = key, slot->low = low, slot->high = high;
    return best;
}

int main(void) {
    table = calloc(SLOTS, sizeof *table);
    for (int who = 1; who < 3; who++) for (int at = 0; at < CELLS; at++) random_of[who][at] = next_random();
    for (int found = 0; found < 500;) {
        int plies = 14 + next_random() % 25, over = 0;
        char line[CELLS + 1] = "";
        uint64_t key = 1;
        memset(cell, 0, sizeof cell), memset(height, 0, sizeof height), stones = 0;
        while (stones < plies && !over) {
            int col = next_random() % COLS, who = stones % 2 + 1;
            if (height[col] == ROWS) continue;
            over = wins(col, who);
            key ^= random_of[who][col * ROWS + height[col]];
            line[stones] = '0' + col;
            cell[col][height[col]++] = who, stones++;
        }
        if (over) continue;
        printf("%s %d\n", line, search(-CELLS, CELLS, key));
        fflush(stdout);
        found++;
    }
}
