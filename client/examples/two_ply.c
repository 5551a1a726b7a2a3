/* Looks two plies ahead in connect four (on any board) and in mancala; in desconecta4, one.
 *
 *     cc -O2 -o two_ply two_ply.c
 *     palestra bridge --server ws://HOST:8765 --name ana -- ./two_ply
 *
 * The lines that it reads and writes are described in protocol/LINES.md.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 4096
#define MAX 16

static char game[LINE];
static int seat;

/* --- connect four and desconecta4 ------------------------------------------------------------------------------- */

static int rows, cols;
static char cells[MAX][MAX]; /* '0' is empty, '1' and '2' are the players; row 0 is at the bottom */

/* Reads "0001000/0000000/..."; a bomb ('4', '5') is a piece like another. */
static void read_board(const char *text) {
    rows = 0;
    for (const char *row = text; rows < MAX; row += cols + 1, rows++) {
        cols = (int)strcspn(row, "/ \n");
        if (cols > MAX) cols = MAX;
        for (int col = 0; col < cols; col++) cells[rows][col] = (char)(row[col] > '3' ? row[col] - 3 : row[col]);
        if (row[cols] != '/') {
            rows++;
            return;
        }
    }
}

/* The row in which a piece dropped into this column comes to lie, -1 if the column is full. */
static int landing(int col) {
    for (int row = 0; row < rows; row++)
        if (cells[row][col] == '0') return row;
    return -1;
}

static int run(int row, int col, int down, int right) {
    int length = 0;
    char piece = cells[row][col];
    for (int r = row + down, c = col + right; r >= 0 && r < rows && c >= 0 && c < cols; r += down, c += right) {
        if (cells[r][c] != piece) break;
        length++;
    }
    return length;
}

/* Whether `player` has four in a row after dropping a piece into this column. */
static int wins(int col, char player) {
    static const int directions[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    int row = landing(col), won = 0;
    if (row < 0) return 0;
    cells[row][col] = player;
    for (int d = 0; d < 4; d++) {
        int down = directions[d][0], right = directions[d][1];
        if (run(row, col, down, right) + run(row, col, -down, -right) >= 3) won = 1;
    }
    cells[row][col] = '0';
    return won;
}

static int value_of_drop(int col) {
    char me = (char)('1' + seat), them = (char)('2' - seat);
    int off_middle = abs(2 * col - (cols - 1));
    if (!strcmp(game, "desconecta4")) {
        /* A line loses, the middle is dangerous, and BOOM is for when nothing else is left. */
        return col == cols ? -500 : wins(col, me) ? -1000 : off_middle;
    }
    if (wins(col, me)) return 1000;
    int row = landing(col), lost = 0;
    cells[row][col] = me;
    for (int reply = 0; reply < cols; reply++)
        if (wins(reply, them)) lost = 1;
    cells[row][col] = '0';
    return lost ? -1000 : -off_middle;
}

/* --- mancala ---------------------------------------------------------------------------------------------------- */

typedef struct {
    int cells[2][7]; /* for each seat its store, then its pits 1 to 6; pit 1 is beside the store */
    int again;       /* who sowed last may sow again */
} Mancala;

static Mancala mancala;

static int empty(const int *side) {
    for (int pit = 1; pit <= 6; pit++)
        if (side[pit]) return 0;
    return 1;
}

static Mancala sow(Mancala board, int me, int action) {
    int side = me, pit = action + 1, them = 1 - me;
    int seeds = board.cells[me][pit];
    board.cells[me][pit] = 0;
    for (; seeds > 0; seeds--) {
        if (--pit < 0 || (pit == 0 && side == them)) { /* past the store; the opponent's is left out */
            side = 1 - side;
            pit = 6;
        }
        board.cells[side][pit]++;
    }
    if (pit > 0 && side == me && board.cells[me][pit] == 1 && board.cells[them][7 - pit] > 0) {
        board.cells[me][0] += 1 + board.cells[them][7 - pit];
        board.cells[me][pit] = board.cells[them][7 - pit] = 0;
    }
    if (empty(board.cells[0]) || empty(board.cells[1])) {
        for (int owner = 0; owner < 2; owner++)
            for (int p = 1; p <= 6; p++) {
                board.cells[owner][0] += board.cells[owner][p];
                board.cells[owner][p] = 0;
            }
    }
    board.again = pit == 0;
    return board;
}

static int lead(const Mancala *board) { return board->cells[seat][0] - board->cells[1 - seat][0]; }

static int value_of_pit(int action) {
    Mancala mine = sow(mancala, seat, action);
    int worst = lead(&mine), replies = 0;
    for (int reply = 0; reply < 6 && !mine.again; reply++) {
        if (!mine.cells[1 - seat][reply + 1]) continue;
        Mancala after = sow(mine, 1 - seat, reply);
        if (!replies++ || lead(&after) < worst) worst = lead(&after);
    }
    return worst;
}

/* --- the lines -------------------------------------------------------------------------------------------------- */

static int value(int action) {
    if (!strcmp(game, "mancala")) return value_of_pit(action);
    if (!strncmp(game, "connect4", 8) || !strcmp(game, "desconecta4")) return value_of_drop(action);
    return rand(); /* another game */
}

static void read_position(char *text) {
    char *board = text + strcspn(text, " "); /* the first word is the seat to move */
    if (*board) board++;
    if (!strcmp(game, "mancala")) {
        for (int cell = 0; cell < 14; cell++) mancala.cells[cell / 7][cell % 7] = (int)strtol(board, &board, 10);
    } else {
        read_board(board);
    }
}

int main(void) {
    char line[LINE];
    int legal[256], count = 0;
    while (fgets(line, sizeof line, stdin)) {
        char *rest = line + strcspn(line, " \n");
        if (*rest) *rest++ = '\0';
        if (!strcmp(line, "game")) {
            sscanf(rest, "%4000s", game);
        } else if (!strcmp(line, "seat")) {
            seat = atoi(rest);
        } else if (!strcmp(line, "start")) {
            printf("name two-ply-c\nready\n");
        } else if (!strcmp(line, "position")) {
            read_position(rest);
        } else if (!strcmp(line, "legal")) {
            count = 0;
            for (char *word = strtok(rest, " \n"); word && count < 256; word = strtok(NULL, " \n"))
                legal[count++] = atoi(word);
        } else if (!strcmp(line, "go")) {
            int best = 0, most = 0;
            for (int i = 0; i < count; i++) {
                int found = value(legal[i]);
                if (i == 0 || found > most) {
                    most = found;
                    best = legal[i];
                }
            }
            printf("info depth 2\nmove %d\n", best);
        } else if (!strcmp(line, "end")) {
            break;
        }
        fflush(stdout);
    }
    return 0;
}
