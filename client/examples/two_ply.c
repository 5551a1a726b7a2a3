/* Looks two plies ahead in connect four (on any board); other games it plays at random.
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

static int rows, cols, seat;
static char cells[MAX][MAX]; /* '0' is empty, '1' and '2' are the players; row 0 is at the bottom */

/* Reads "0001000/0000000/..." */
static void read_board(const char *text) {
    rows = 0;
    for (const char *row = text; rows < MAX; row += cols + 1, rows++) {
        cols = (int)strcspn(row, "/ \n");
        if (cols > MAX) cols = MAX;
        memcpy(cells[rows], row, (size_t)cols);
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

/* Whether `player` wins by dropping a piece into this column. */
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

static int value(int col) {
    char me = (char)('1' + seat), them = (char)('2' - seat);
    if (wins(col, me)) return 1000;
    int row = landing(col), lost = 0;
    cells[row][col] = me;
    for (int reply = 0; reply < cols; reply++)
        if (wins(reply, them)) lost = 1;
    cells[row][col] = '0';
    return lost ? -1000 : -abs(2 * col - (cols - 1)); /* else the middle is best */
}

int main(void) {
    char line[LINE], game[LINE] = "";
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
        } else if (!strcmp(line, "position") && !strncmp(game, "connect4", 8)) {
            read_board(rest + strcspn(rest, " ") + 1); /* the first word is the seat to move */
        } else if (!strcmp(line, "legal")) {
            count = 0;
            for (char *word = strtok(rest, " \n"); word && count < 256; word = strtok(NULL, " \n"))
                legal[count++] = atoi(word);
        } else if (!strcmp(line, "go")) {
            int best = legal[rand() % count], most = -100000;
            for (int i = 0; i < count && !strncmp(game, "connect4", 8); i++) {
                int found = value(legal[i]);
                if (found > most) {
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
