// Looks two plies ahead in connect four (on any board); other games it plays at random.
//
//     rustc -O two_ply.rs
//     palestra bridge --server ws://HOST:8765 --name ana -- ./two_ply
//
// The lines that it reads and writes are described in protocol/LINES.md.

use std::io::{self, BufRead, Write};
use std::time::{SystemTime, UNIX_EPOCH};

/// The rows from the bottom; b'0' is empty, b'1' and b'2' are the players.
#[derive(Clone, Default)]
struct Board {
    rows: Vec<Vec<u8>>,
}

impl Board {
    fn read(text: &str) -> Board {
        Board { rows: text.split('/').map(|row| row.as_bytes().to_vec()).collect() }
    }

    fn cols(&self) -> usize {
        self.rows[0].len()
    }

    /// Drops a piece; tells where it came to lie, or None if the column is full.
    fn drop(&self, col: usize, player: u8) -> Option<(Board, usize)> {
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

    /// Whether `player` wins by dropping a piece into this column.
    fn wins(&self, col: usize, player: u8) -> bool {
        self.drop(col, player).is_some_and(|(after, row)| {
            [(0, 1), (1, 0), (1, 1), (1, -1)]
                .iter()
                .any(|&(down, right)| after.run(row, col, down, right) + after.run(row, col, -down, -right) >= 3)
        })
    }

    fn value(&self, col: usize, me: u8, them: u8) -> i32 {
        if self.wins(col, me) {
            return 1000;
        }
        let Some((after, _)) = self.drop(col, me) else { return i32::MIN };
        if (0..self.cols()).any(|reply| after.wins(reply, them)) {
            return -1000;
        }
        -(2 * col as i32 - (self.cols() as i32 - 1)).abs() // else the middle is best
    }
}

fn main() -> io::Result<()> {
    let (mut game, mut seat, mut legal) = (String::new(), 0u8, Vec::<usize>::new());
    let mut board = Board::default();
    let mut out = io::stdout();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["game", name, ..] => game = name.to_string(),
            ["seat", number, ..] => seat = number.parse().unwrap_or(0),
            ["start", ..] => writeln!(out, "name two-ply-rust\nready")?,
            ["position", _, cells, ..] if game.starts_with("connect4") => board = Board::read(cells),
            ["legal", actions @ ..] => legal = actions.iter().filter_map(|action| action.parse().ok()).collect(),
            ["go", ..] => {
                let best = if game.starts_with("connect4") {
                    let (me, them) = (b'1' + seat, b'2' - seat);
                    *legal.iter().max_by_key(|&&col| board.value(col, me, them)).expect("there is a legal action")
                } else {
                    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.subsec_micros());
                    legal[clock as usize % legal.len()]
                };
                writeln!(out, "info depth 2\nmove {best}")?;
            }
            ["end", ..] => break,
            _ => {}
        }
        out.flush()?;
    }
    Ok(())
}
