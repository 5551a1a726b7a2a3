"""Perfect play of mancala: tables on disk, the opening book, and the player that uses them."""

import random

import pytest

from palestra_bots import solving
from palestra_bots.solvers import books
from palestra_bots.solvers.mancala import book, book_builder, cache, endgame, play
from palestra_bots.solvers.mancala.solver import Solver
from palestra_games.mancala import MANCALA, Mancala, MancalaState


@pytest.fixture(autouse=True)
def tables(tmp_path, monkeypatch):
    """A cache folder of the test's own, and a table that is made in no time."""
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(cache, "DEFAULT_SEEDS", 8)
    return tmp_path


def late(seed, most_seeds):
    choose = random.Random(seed)
    while True:
        state = MANCALA.initial_state()
        while state.returns() is None:
            if sum(map(sum, state.pits)) <= most_seeds:
                return state
            state = state.apply(choose.choice(state.legal_actions()))


def test_a_table_is_made_once_and_the_largest_one_that_is_allowed_is_used(tables):
    first = cache.load(6, "non-empty")
    assert first.seeds == 8
    assert [path.name for path in tables.iterdir()] == [cache.table_path(6, "non-empty", 8).name]
    cache.save(endgame.build(6, "non-empty", 7))
    assert cache.load(6, "non-empty").seeds == 8
    cache.save(endgame.build(6, "non-empty", 9))
    cache.save(endgame.build(6, "any", 10))
    largest = cache.load(6, "non-empty")
    assert largest.seeds == 9
    assert cache.load(6, "non-empty", most=8).seeds == 8
    assert bytes(largest.values[: len(first.values)]) == bytes(first.values)


@pytest.mark.parametrize("change", [lambda content: content[:-1], lambda content: b"\x01" + content[1:]])
def test_a_damaged_table_is_found_out_and_made_anew(change):
    good = cache.load(6, "non-empty").values
    path = cache.table_path(6, "non-empty", 8)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ValueError, match="delete it"):
        cache.read(6, "non-empty", 8)
    assert bytes(cache.load(6, "non-empty").values) == bytes(good)
    assert bytes(cache.read(6, "non-empty", 8).values) == bytes(good)


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr(cache, "cache_folder", lambda: blocked)
    assert cache.load(6, "non-empty").seeds == 8


def test_a_book_gives_back_what_was_put_in():
    states = [late(seed, 40) for seed in range(50)]
    entries = {book.number_of_state(state): books.Entry(seed - 25, seed % 6) for seed, state in enumerate(states)}
    read = book.Book(books.to_bytes(entries))
    assert len(read) == len(entries)
    assert {book.number_of_state(state): read.look_up(state) for state in states} == entries
    assert read.look_up(MANCALA.initial_state()) is None
    assert read.look_up(Mancala(6, 4, "any").initial_state()) is None
    assert book.Book(books.to_bytes({})).look_up(states[0]) is None


def test_a_damaged_book_is_found_out():
    content = bytearray(books.path_of("mancala").read_bytes())
    content[0] ^= 1
    with pytest.raises(ValueError, match="damaged"):
        book.Book(bytes(content))


def test_the_book_of_the_package_never_contradicts_itself():
    """No reply to the book's move leads to a position that the book says is worse, and the openings are as solved."""
    known = book.load_book()
    assert len(books.path_of("mancala").read_bytes()) < 1 << 20
    start = MANCALA.initial_state()
    entry = known.look_up(start)
    assert (entry.value, entry.action) == (8, 3)
    frontier = [state for seat in (0, 1) for state in book_builder.our_turns(start, seat)]
    checked = 0
    while frontier and checked < 150:
        state = frontier.pop(0)
        entry = known.look_up(state)
        if entry is None:
            continue
        mover = state.to_move
        promised = state.stores[mover] - state.stores[1 - mover] + entry.value
        for reached in book_builder.after(state, entry.action):
            below = known.look_up(reached)
            if below is not None:
                assert reached.stores[mover] - reached.stores[1 - mover] + below.value >= promised
                frontier.append(reached)
        checked += 1
    assert checked > 10


def test_our_turns_are_all_ends_of_the_opponents_move():
    start = MANCALA.initial_state()
    assert list(book_builder.our_turns(start, 0)) == [start]
    after_three = start.apply(3)  # another move
    assert after_three.to_move == 0
    reached = list(book_builder.our_turns(start, 1))
    assert len(reached) == 5 + len(
        [s for a in after_three.legal_actions() for s in book_builder.our_turns(after_three.apply(a), 1)]
    )
    assert all(state.to_move == 1 for state in reached)


@pytest.mark.slow
def test_the_builder_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    """On a small game: stopped after each position, with the last note torn."""
    small = Mancala(6, 2)
    monkeypatch.setattr(book_builder, "MANCALA", small)
    monkeypatch.setattr(book_builder, "EASY_NODES", 40)
    monkeypatch.setattr(book_builder, "_EASY_TABLE_BITS", 12)
    whole = book_builder.build(tmp_path / "whole.txt", table_bits=14)
    assert len(whole) > 5
    notes = tmp_path / "stopped.txt"
    for most in range(1, 4):
        assert len(book_builder.build(notes, table_bits=14, most_entries=most)) == most
        notes.write_text(notes.read_text() + "12 3")
    resumed = book_builder.build(notes, table_bits=14)
    # Of equal moves it may choose others, and so come to other positions; but no position has two values.
    both = whole.keys() & resumed.keys()
    assert len(both) > 3
    assert all(whole[number].value == resumed[number].value for number in both)
    solved_again = []
    assert book_builder.build(notes, table_bits=14, report=solved_again.append) == resumed
    assert not solved_again
    books.write(whole, tmp_path / "book")
    assert len(book.Book((tmp_path / "book").read_bytes())) == len(whole)
    exact = Solver(endgame.build(6, "non-empty", 4), 16)
    start = small.initial_state()
    assert whole[book.number_of_state(start)].value == exact.solve(start).lower


@pytest.mark.parametrize("seed", range(6))
def test_the_perfect_player_keeps_the_value_of_every_position(seed):
    player = play.PerfectPlayer(table_bits=16)
    exact = Solver(cache.load(6, "non-empty"), 16)
    choose = random.Random(seed)
    state, seat = late(seed, 28), seed % 2
    while state.returns() is None:
        if state.to_move == seat:
            value = exact.solve(state).lower
            found = player.perfect_move(state, 600.0)
            assert found.exact
            assert found.score == value
            state = state.apply(found.action)
            if state.returns() is None:
                left = exact.solve(state).lower
                assert (left if state.to_move == seat else -left) == value
            else:
                assert state.stores[seat] - state.stores[1 - seat] == value
        else:
            state = state.apply(choose.choice(state.legal_actions()))


def test_without_time_the_player_keeps_its_promise_or_says_nothing():
    player = play.PerfectPlayer(table_bits=16)
    exact = Solver(cache.load(6, "non-empty"), 16)
    silent = 0
    for seed in range(20):
        state = late(seed, 34)
        found = player.perfect_move(state, 0.0)
        player = play.PerfectPlayer(table_bits=16)
        silent += found is None
        if found is not None:
            assert found.score == exact.solve(state).lower
    assert silent


def test_promises_are_asked_for_first_and_forgotten_with_the_match(monkeypatch):
    asked = []
    solve = Solver.solve

    def recorded(solver, state, *, guesses, **limits):
        asked.append(tuple(guesses))
        return solve(solver, state, guesses=guesses, **limits)

    player = play.PerfectPlayer(table_bits=18)
    state = late(3, 30)
    promised = player.perfect_move(state, 600.0).score
    monkeypatch.setattr(Solver, "solve", recorded)
    player.perfect_move(state, 600.0)
    assert promised in asked[-1]
    player.perfect_move(late(4, 34), 600.0)  # more seeds in the pits than before: another match
    assert asked[-1] == (0,)


def test_the_player_leaves_other_rules_alone():
    player = play.PerfectPlayer(table_bits=4)
    assert player.perfect_move(Mancala(6, 4, "any").initial_state(), 1.0) is None
    assert player.perfect_move(Mancala(3, 2).initial_state(), 1.0) is None
    with pytest.raises(ValueError, match="over"):
        player.perfect_move(MancalaState.of(((0,) * 6, (0,) * 6), (24, 24), 0), 1.0)


def test_solve_takes_mancala_and_counts_the_stores():
    found = solving.solve(Mancala(5, 3).initial_state())
    assert (found.score, found.action in range(5)) == (6, True)
    assert solving.solve(MancalaState.of(((2, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0)), (20, 25), 0)).score == -6
    with pytest.raises(ValueError, match="6 pits"):
        solving.solve(Mancala(7, 1).initial_state())


@pytest.mark.parametrize(("pits", "capture"), [(6, "non-empty"), (4, "any")])
@pytest.mark.slow
def test_easy_and_hard_questions_get_the_same_answer(monkeypatch, pits, capture):
    """A hard one goes on to the great table; `_QUICK_NODES` makes every one hard here."""
    choose = random.Random(5)
    state = Mancala(pits, 3, capture).initial_state()
    play._solvers.cache_clear()
    monkeypatch.setattr(play, "_THOROUGH_BITS", 16)
    while state.returns() is None:
        easy = play.solve(state)
        with monkeypatch.context() as hard:
            hard.setattr(play, "_QUICK_NODES", 1)
            assert play.solve(state).score == easy.score
        assert easy.action in state.legal_actions()
        state = state.apply(choose.choice(state.legal_actions()))
    play._solvers.cache_clear()
