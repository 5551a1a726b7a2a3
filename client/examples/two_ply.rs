// Looks two plies ahead in connect four (on any board) and in mancala; in desconecta4, one.
//
//     rustc -O two_ply.rs
//     palestra bridge --server ws://HOST:8765 --name ana -- ./two_ply
//
// The lines that it reads and writes are described in protocol/LINES.md.

use std::io::{self, BufRead, Write};

/// Connect four and desconecta4: the rows from the bottom; b'0' is empty, b'1' and b'2' are the players.
#[derive(Clone, Default)]
struct Grid {
    rows: Vec<Vec<u8>>,
}

impl Grid {
    /// A bomb (b'4', b'5') is a piece like another.
    fn read(text: &str) -> Grid {
        let piece = |cell: u8| if cell > b'3' { cell - 3 } else { cell };
        Grid { rows: text.split('/').map(|row| row.bytes().map(piece).collect()).collect() }
    }

    fn cols(&self) -> usize {
        self.rows[0].len()
    }

    /// Drops a piece; tells where it came to lie, or None if the column is full.
    fn drop(&self, col: usize, player: u8) -> Option<(Grid, usize)> {
        let row = self.rows.iter().position(|row| row[col] == b'0')?;
        let mut after = self.clone();
        after.rows[row][col] = player;
        Some((after, row))
    }

    fn run(&self, row: usize, col: usize, down: i32, right: i32) -> usize {
        let piece = self.rows[row][col];
        (1..)
            .take_while(|step| {
                let (r, c) = (row as i32 + step * down, col as i32 + step * right);
                r >= 0 && c >= 0 && self.rows.get(r as usize).and_then(|row| row.get(c as usize)) == Some(&piece)
            })
            .count()
    }

    /// Whether `player` has four in a row after dropping a piece into this column.
    fn wins(&self, col: usize, player: u8) -> bool {
        self.drop(col, player).is_some_and(|(after, row)| {
            [(0, 1), (1, 0), (1, 1), (1, -1)]
                .iter()
                .any(|&(down, right)| after.run(row, col, down, right) + after.run(row, col, -down, -right) >= 3)
        })
    }

    fn value(&self, col: usize, seat: u8, misere: bool) -> i32 {
        let (me, them) = (b'1' + seat, b'2' - seat);
        let off_middle = (2 * col as i32 - (self.cols() as i32 - 1)).abs();
        if misere {
            // A line loses, the middle is dangerous, and BOOM is for when nothing else is left.
            return if col == self.cols() { -500 } else if self.wins(col, me) { -1000 } else { off_middle };
        }
        if self.wins(col, me) {
            return 1000;
        }
        let Some((after, _)) = self.drop(col, me) else { return i32::MIN };
        if (0..self.cols()).any(|reply| after.wins(reply, them)) { -1000 } else { -off_middle }
    }
}

/// For each seat its store, then its pits 1 to 6; pit 1 is beside the store.
#[derive(Clone, Default)]
struct Mancala {
    cells: [[i32; 7]; 2],
}

impl Mancala {
    fn read(words: &[&str]) -> Mancala {
        let mut board = Mancala::default();
        for (index, word) in words.iter().take(14).enumerate() {
            board.cells[index / 7][index % 7] = word.parse().unwrap_or(0);
        }
        board
    }

    /// The board after `me` sows a pit, and whether the same player moves again.
    fn sow(&self, me: usize, action: usize) -> (Mancala, bool) {
        let mut after = self.clone();
        let cells = &mut after.cells;
        let (mut side, mut pit, them) = (me, action + 1, 1 - me);
        for _ in 0..std::mem::take(&mut cells[me][pit]) {
            if pit == 0 || (pit == 1 && side == them) {
                (side, pit) = (1 - side, 6); // past the store; the opponent's is left out
            } else {
                pit -= 1;
            }
            cells[side][pit] += 1;
        }
        if pit > 0 && side == me && cells[me][pit] == 1 && cells[them][7 - pit] > 0 {
            cells[me][0] += 1 + std::mem::take(&mut cells[them][7 - pit]);
            cells[me][pit] = 0;
        }
        if cells.iter().any(|row| row[1..].iter().all(|&seeds| seeds == 0)) {
            for row in cells {
                *row = [row.iter().sum(), 0, 0, 0, 0, 0, 0];
            }
        }
        (after, pit == 0)
    }

    fn value(&self, action: usize, seat: usize) -> i32 {
        let lead = |board: &Mancala| board.cells[seat][0] - board.cells[1 - seat][0];
        let (mine, again) = self.sow(seat, action);
        let replies = (0..6).filter(|&reply| !again && mine.cells[1 - seat][reply + 1] > 0);
        replies.map(|reply| lead(&mine.sow(1 - seat, reply).0)).min().unwrap_or_else(|| lead(&mine))
    }
}

fn main() -> io::Result<()> {
    let (mut game, mut seat, mut legal) = (String::new(), 0u8, Vec::<usize>::new());
    let (mut grid, mut mancala) = (Grid::default(), Mancala::default());
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["game", name, ..] => game = name.to_string(),
            ["seat", number, ..] => seat = number.parse().unwrap_or(0),
            ["start", ..] => writeln!(out, "name two-ply-rust\nready")?,
            ["position", _, cells @ ..] if game == "mancala" => mancala = Mancala::read(cells),
            ["position", _, cells, ..] => grid = Grid::read(cells),
            ["legal", actions @ ..] => legal = actions.iter().filter_map(|action| action.parse().ok()).collect(),
            ["go", ..] => {
                let value = |&&action: &&usize| match game.as_str() {
                    "mancala" => mancala.value(action, seat as usize),
                    "connect4" | "connect4-8x8" => grid.value(action, seat, false),
                    "desconecta4" => grid.value(action, seat, true),
                    _ => 0, // another game: any action
                };
                let best = legal.iter().max_by_key(value).expect("there is a legal action");
                writeln!(out, "info depth 2\nmove {best}")?;
            }
            ["end", ..] => break,
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}
