"""What Palestra says in English, by code: records and messages hold codes and values, and this makes sentences of them.

The page has the same codes in `js/lang`, where each language is one file like this one; `spanish` has those of a
terminal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal, Self

from palestra_protocol import spanish

Language = Literal["en", "es"]

_STAYS: Final = "{name} still takes part in {title}: "
_WITHDRAW: Final = ' To end that now: palestra-server tournament withdraw {tournament} "{name}"'
SENTENCES: Final = {
    # Why a match ended (RECORDS.md lists the values):
    "why.won": "{winner} won by the rules after {ply} moves.",
    "why.drawn": "A draw by the rules after {ply} moves.",
    "why.ply_limit": "A draw: the match came to its limit of {ply_limit} moves.",
    "why.late": "{player} took {took_ms} for move {ply}; it had {move_ms} and {grace_ms} grace.",
    "why.silent": "{player} did not answer move {ply} in time; it had {move_ms} and {grace_ms} grace.",
    "why.stayed_away": "{player} lost its connection at move {ply} and was not back within the {left_ms} it had left.",
    "why.not_ready": "{player} was not ready within {ready_ms}.",
    "why.neither_ready": "Neither {player} nor {other} was ready within {ready_ms}.",
    "why.resigned": "{player} resigned at move {ply}.",
    "why.crashed": "{player} crashed at move {ply}.",
    "why.illegal": "{player} answered move {ply} with action {action}, which is not legal there.",
    "why.no_action": "{player} answered move {ply} with {answer}, which is no action of this game.",
    "why.refused": "{player} refused the challenge.",
    "why.taken_back": "{player} took a move back and plays on in another match.",
    "why.name_taken": "{player} is on the roster now: the guest of this name had to leave.",
    "why.house_late": "{player}, a bot of this server, was not there in time, so the match counts for nobody.",
    "why.failed": "The server could not go on with {game} ({error}), so the match counts for nobody.",
    "over.match": "{result}, {reason}, {plies} moves",
    # What is wrong with a tournament file: it is not TOML,
    "file.not_toml": "The file is not TOML: {error}.",
    "file.twice": "{key} appears a second time; keep only one of them.",
    "file.curled": "these quotes are a word processor's; use straight ones, \".",
    "file.heading": "a heading is a word in brackets, such as [clock], on a line of its own.",
    "file.no_setting": "{text} is not a setting; a setting is written key = value, and a comment begins with #.",
    "file.no_value": "{key}: there is nothing after the =; write a value, or put a # in front of the line.",
    "file.bool_word": "{key}: {text} is not a value; write true or false, in small letters.",
    "file.quotes": "{key}: a text needs quotes at both ends and none inside, unlike {text}.",
    "file.open": "{key}: the {bracket} is never closed; write {closing} where it ends.",
    "file.bare": '{key}: a text needs quotes; write {key} = "{text}".',
    "file.no_list": "{key}: {text} is not a list; put commas between its entries, and quotes around texts.",
    "file.decimal": "{key}: a decimal number needs a point, and a list needs brackets; {text} has neither.",
    "file.odd_value": "{key}: {text} is not a value; write a text in quotes, a number, true or false, a date like "
    "2026-12-01T09:00:00, or a list in brackets.",
    # a key or its value,
    "file.missing": "'{key}' is missing.",
    "file.unknown_key": "'{key}' is not a key of this file.",
    "file.unknown_key_near": "'{key}' is not a key of this file; did you mean '{near}'?",
    "file.who": '\'who\' must be "all" or a table such as {{ groups = ["A"] }}, not {value}.',
    "file.who_key": "'who' takes 'groups' and 'players' by name: for a final of the best four of another tournament, "
    'see \'palestra-server tournament standings NAME\', and write who = {{ players = ["Ana", "Bea", "Cid", "Eva"] }}.',
    "file.name": "'name' must be 1 to 40 small letters, digits or hyphens, and not begin with a hyphen; {value} is "
    "not.",
    "file.choice": "'{key}' must be one of {choices}, not {value}.",
    "file.choice_near": "'{key}' must be one of {choices}, not {value}; did you mean '{near}'?",
    "file.int": "'{key}' must be a whole number, not {value}.",
    "file.number": "'{key}' must be a number, not {value}.",
    "file.bool": "'{key}' must be true or false, not {value}.",
    "file.text": "'{key}' must be a text in quotes, not {value}.",
    "file.list": "'{key}' must be a list in brackets, not {value}.",
    "file.date": "'{key}' must be a date with a time, like 2026-12-01T09:00:00, not {value}.",
    "file.table": "'{key}' must be a table, not {value}.",
    "file.empty": "'{key}' must not be empty.",
    "file.least": "'{key}' is {value}: it should be {limit} or more.",
    "file.most": "'{key}' is {value}: it should be {limit} or less.",
    "file.above": "'{key}' is {value}: it should be more than {limit}.",
    "file.long": "'{key}' is {value}: it should have at most {limit} characters.",
    "file.other": "'{key}' is {value}: {message}.",
    "file.no_game": "'{key}': there is no game {names}; this server knows {known}.",
    "file.listed_twice": "'{key}': {names} must not be listed twice.",
    "file.break": "'{key}': a break is written like '22:00-07:00', not '{text}'.",
    "file.no_break": "'{key}': the break '{text}' begins and ends at the same time.",
    # keys do not go together,
    "file.no_effect": "'{key}' is for {formats}; it has no effect with format = \"{format}\", so leave it out.",
    "file.no_reference": "'reference' is missing: format = \"{format}\" needs reference bots, such as "
    'reference = ["level1"].',
    "file.no_last_round": "'embargo': format = \"{format}\" has no last round to hide; leave 'embargo' out.",
    "file.many_rounds": "'{key}' is {rounds}, but these {players} players have opponents for {most}: ask for fewer, or "
    "leave '{key}' out.",
    "file.many_qualify": "'{key}' is {qualify}, but a group has only {most}: let fewer advance, or make groups larger.",
    "file.beats_level": "'grades.beats' names '{level}', which must be in 'reference' to be played against.",
    "file.beats_game": "'grades.beats' names the game '{game}', which is not among 'games'.",
    "file.no_bot": "'reference': there is no reference bot {name}: choose among {known}.",
    "file.renamed_nobody": "'renamed': nobody in these tournaments was called {name}.",
    "file.renamed_again": "'{key}': {names} must have the newest name at once, not by way of another.",
    "file.no_share": "'grades.score' is a share of the highest total, which scoring = \"points\" does not have; "
    "leave one out.",
    "file.by_hand": "'{key}' is written in a way that the form cannot change: change it in the file.",
    "file.no_ratings": "'{key}' needs ratings = \"all\".",
    "file.seeded_twice": "{name} is seeded by the ratings of the season {other} already: "
    'leave it out, or write seeding = "own".',
    # or it is perhaps not what was meant:
    "file.other_rubric": "The rules under [grades] in {names} give no points here: only those of this file do.",
    "file.unmarked_season": "This season gives no marks: the rules under [grades] in {names} do not count here.",
    "file.no_tournament": "There is no tournament {name} yet; create it before it is to count.",
    "file.not_on_roster": "{name} is not on the roster.",
    "file.not_on_roster_near": "{name} is not on the roster; did you mean {near}?",
    "file.empty_group": "Nobody on the roster is in the group {group}.",
    "file.bot_and_player": "{name} is both a reference bot and on the roster.",
    "file.nobody": "Nobody on the roster takes part yet.",
    "file.no_bots_here": "The reference bots are not installed here: install the package palestra-bots.",
    "file.too_large": "These {players} players would play {planned} matches, and a tournament has at most {most}: "
    "choose fewer games, pairs or cycles, or another format.",
    "file.taken": "There is a tournament '{name}' already: choose another name before creating this one.",
    "file.past_start": "Its start is in the past: it will begin as soon as it is created.",
    # What is wrong or odd in a class list:
    "list.empty": "The list is empty: write one student per line.",
    "list.columns": "Which column holds the names is not clear: let the first line name the columns, "
    "such as name,email,group, with commas, semicolons or tabs.",
    "list.garbled": "The accents are garbled, such as '{text}': a program read UTF-8 as something else and saved it. "
    "Take the list as it was exported, or export it again.",
    "list.prose": "This reads as text and not as a class list: write one student per line; if these are names all the "
    "same, put the line 'name' above them.",
    "list.cells": "There are {cells} cells but {columns} columns: put names that contain a comma in quotes.",
    "list.quotes": "The quotes do not match ({error}): close them, or leave them out.",
    "list.no_name": "The name is missing: every student needs one.",
    "list.long_name": "{name}... has {length} characters, but a name may have at most {most}: shorten it.",
    "list.bad_name": "{name} can't be a name: it needs a letter or digit and no invisible characters, "
    "and must not begin with = + - or @.",
    "list.long_group": "A group may have at most {most} characters, all of them printable: shorten it.",
    "list.one_group": "{group} and {other} are one group, written in two ways: {name} is put in {other}.",
    "list.no_email": "{email} is not an e-mail address, so {name} gets none.",
    "list.odd_email": "{email} has no dot after the @; it is kept as it is.",
    "list.twin": "{name} cannot be told from {other} in line {above}: rename one of them, or delete the line.",
    "list.same_id": "{name} has an e-mail or id of {other} in line {above}: every student needs their own, or none.",
    "list.again": "{name} is in line {above} already; this line is left out.",
    "list.title": "This line stands above the header, and is left out.",
    "list.not_student": "This is no student (the role is {role}), and is left out.",
    "list.no_id": "The {title} of {name} is too long or holds what cannot be shown, so it is left out.",
    "list.numbered": "Another student is called {other}, so this one is {name} here; you may rename either.",
    "list.other_email": "{name} had the e-mail {email}: if this is somebody else, add an id or change the name.",
    "list.two_players": "By e-mail and ids, {name} is {one} as well as {other} on the roster: mend the list, "
    "or remove one of them.",
    "list.one_player": "By e-mail and ids, {name} is {other} on the roster, and so is line {above}: mend one of them.",
    "list.bot": "{name} is the name of a reference bot: choose another name.",
    "list.like_bot": "{name} cannot be told from {other}, which is the name of a reference bot: choose another name.",
    "list.like_player": "{name} looks like {other}, who is on the roster, and is taken for the same student, who keeps "
    "that name: rename {other} if you like; if these are two, list both.",
    # What a teacher should know about a file of marks:
    "marking.off_roster": "Not on the roster under the name that they played under, so left out: {names}. "
    "Marks go to the name that is on the roster now: 'roster rename' gives the old one back.",
    "marking.no_user": "Left out, since their {way} is not known, or is not theirs alone: {names}.",
    "marking.not_in_file": "Not found in the file, so left out: {names}.",
    "marking.no_mark": "In the file, but without a mark: {names}.",
    "marking.excused": "Excused in Canvas (EX), and left so: {names}.",
    "marking.too_high": "There are marks above {most}, which Moodle takes only if its administrator allows it.",
    "marking.worth": "{column} is worth {worth} points in Canvas, and these marks are out of {maximum}.",
    "marking.no_ids": "Moodle finds students by id number, e-mail or user name, and none is known of these: import the "
    "list of participants that Moodle exports, or give it with --into.",
    "marking.no_students": "There are no students in this file: give the list of participants, as Moodle exports it.",
    "marking.needs_book": "Canvas' marks go into its own gradebook: export that as CSV, and give the file "
    "(--into FILE).",
    "marking.not_canvas": "This is no gradebook of Canvas: export it there as CSV (Grades > Export > Entire "
    "Gradebook), and give that file.",
    "marking.read_only": "Canvas takes no marks in {column}, which is read only: name another with --column.",
    "marking.bad_column": "Canvas would not take {column} for an assignment: name another with --column.",
    "marking.moodle": "In Moodle, first make a grade item of {maximum} points; then Import > CSV file, "
    "separator '{separator}'. Map '{way}' to itself, '{column}' to that item, and the last column to its feedback.",
    "marking.new_column": "{column} is a new column: Canvas asks, and makes an assignment of {maximum} points.",
    "marking.other_columns": "The file has these assignments: {names}. To fill one of them, name it with --column.",
    "marking.replaced": "{column} had other marks for {count} of them, which these replace.",
    "marking.canvas": "Canvas' import takes no comments; the table for people has the explanation of every mark.",
    # What a teacher reads about a tournament: why it is paused,
    "remark.host": "The teacher paused it.",
    "remark.break": "It is the break of {begin} to {end}.",
    "remark.undrawn": "A round could not be drawn ({why}). Nothing is lost, and matches in progress are kept. "
    "'palestra-server tournament resume {name}' tries again; 'palestra-server tournament finish {name}' ends it with "
    "what was played.",
    # what keeps it from ending,
    "remark.stuck": "Match {match} ({first} - {second}) cannot go on: {why}.",
    "remark.repair": "All others are unaffected. Stop the server and run 'palestra-server repair'; if a match stays "
    "lost, play it again with 'palestra-server tournament repeat {name} MATCH'.",
    "remark.tournament_fault": "Something failed in it ({work}: {why}), and was left out; the server's log says more. "
    "If it stands still, pause and resume it, or restart the server: nothing that was played is lost.",
    "remark.failed": "Something failed in the server ({work}: {why}), and everything else went on; its log says more.",
    "remark.cannot_begin": "It is due, and begins as soon as it can. {why}",
    "remark.house_bot": "{bot}, one of this server's bots, has not connected; its matches wait, and nobody loses "
    "because of it. Its last output is in {bot}.log in the data folder. To go on without it: 'palestra-server "
    "tournament withdraw {name} {bot}'; what it has not played then counts for nobody.",
    "remark.damaged": "The tournament {name} cannot be read ({why}). If a game is missing, install it again and "
    "restart the server. Otherwise its matches are safe in the records ('palestra-server matches --tournament "
    "{name}'), but it can't be rebuilt from them: who took part, the seed, and whom you withdrew are in its own "
    "records only. Start the server from a backup ('palestra-server serve --data BACKUP'), or delete it with "
    "'palestra-server tournament delete {name}' and create it again under another name.",
    # what happens to the matches of a player who can no longer connect,
    "remark.absent_loses": f"{_STAYS}it loses its remaining matches one by one.{_WITHDRAW}",
    "remark.absent_withdrawn": f"{_STAYS}it loses its remaining matches one by one, and after {{count}} in a row "
    f"{{name}} is withdrawn.{_WITHDRAW}",
    "remark.absent_waits": f"{_STAYS}the tournament waits for {{name}}, who can't come back.{_WITHDRAW}",
    # and what a new player on the roster misses:
    "remark.began_without": "{title} began without {names}: 'tournament add' lets in who comes late, unless it has a "
    "bracket.",
    # Whether a bot is ready for a tournament, and why not:
    "ready.yes": "Ready: {count} matches without a fault.",
    "ready.unknown": "Not all of its matches have been played yet.",
    "ready.not_ready": "it was not connected, or never said that it was ready ({count} of {all})",
    "ready.timeout": "it took too long for a move ({count} of {all})",
    "ready.illegal": "it played an illegal action ({count} of {all})",
    "ready.disconnect": "it lost its connection and did not come back in time ({count} of {all})",
    "ready.resign": "it resigned, as the client does when a bot crashes ({count} of {all})",
    # What a player is told:
    "notice.begins": "{tournament} begins: stay connected, your matches start by themselves.",
    "notice.over": "{tournament} is over: thank you for playing. The standings are on the page.",
    "notice.bye": "You have a bye in round {round} of {tournament}, which counts as a win.",
    "withdrawn.host": "by the teacher",
    "withdrawn.absent": "absent from {count} matches in a row",
    "notice.joined": "You are in the tournament {tournament}, which is under way: stay connected, your matches start "
    "by themselves.",
    "notice.withdrawn_host": "The teacher withdrew you from the tournament {tournament}. Ask to be let back in.",
    "notice.withdrawn_absent": "You were withdrawn from the tournament {tournament}: your bot lost {count} matches in "
    "a row because it was not there. Ask the teacher to let you back in.",
    "notice.ruled_win": "The teacher ruled that match {match} of {tournament} counts as a win of {winner}: {why}",
    "notice.ruled_draw": "The teacher ruled that match {match} of {tournament} counts as a draw: {why}",
    "notice.ruled_void": "The teacher ruled that match {match} of {tournament} does not count: {why}",
    "notice.ruled_replay": "The teacher ruled that match {match} of {tournament} is played again: {why}",
    "notice.ruled_stands": "The teacher ruled that match {match} of {tournament} counts as it ended: {why}",
    "ruling.win": "counts as a win of {winner}",
    "ruling.draw": "counts as a draw",
    "ruling.void": "does not count",
    "ruling.replay": "is played again",
    "ruling.stands": "counts as it ended",
    "ruling.by": "By the teacher's ruling this match {verdict}: {why}",
    "notice.ready": "Your bot is ready for {game}: it played {count} matches without a fault.",
    # What the judge says of a match (`palestra_protocol.analysis`):
    "judge.drawn": "A draw: no move decided it.",
    "judge.undecided": "No single move decided it, as far as the judge sees.",
    "judge.from_start": "No move decided it: from this start {player} loses against perfect play. Try it from the "
    "other side.",
    "judge.decisive": "Decided at move {ply}: {player} played {action}, which loses; {better} does not.",
    "judge.estimated": "Probably decided at move {ply}, by an estimate: {player} played {action}; {better} is better.",
    "judge.line": "  better, both sides in turn: {line}",
    "judge.refutation": "  after the move played, both at their best: {line}",
    "judge.accuracy": "Moves that mattered: {player} chose well in {kept} of {choices}.",
    "judge.look": "Look there: palestra replay {match} --ply {ply}",
    "judge.crash": "The exception was saved here: {error}. To raise it again: palestra replay-crash {file} BOT",
    "judge.proof": "  The line, step by step: palestra replay {match} --ply {ply} --line {line}",
    "judge.unsteady": "Not the same twice: {other} of {asked} answers contradict another one of the same depth. There "
    "is chance in the search, or in the order of a set; a search that is the same each time can be mended.",
    "judge.steady": "{asked} answers, and none contradicts another of the same depth.",
    "judge.repeated": "{player}: {cause} in {count} of {losses} losses.",
    "agreement.contradict": "{player} contradicts itself, whatever its evaluation: looking {depth} moves ahead from "
    "move {ply} it says {told:g}, but its own values two moves later come to {own:g}. The fault is in its search: a "
    "table that takes bounds for values, moves it leaves out, a wrong cut. (Reductions on purpose do this, too.)",
    "agreement.agree": "{player}: its values agree with each other in {places} positions: that shows no fault of its "
    "search.",
    "agreement.unsteady": "{player}: not the same twice at move {ply}: there is chance in its search, or in the order "
    "of a set; a search that is the same each time can be mended.",
    "agreement.incomparable": "{player}: its values can't be compared. It must report depth and value after each "
    "depth that it finishes, 1, 2, 3, 4 and on, and not once a move: turn.report(depth=..., value=...). If it does, "
    "give it more time with --move-ms.",
    # what is wrong with a program (`palestra_protocol.analysis.Cause`),
    "diagnosis.horizon": "{player}, move {ply}: looking {needed} moves ahead shows what is wrong with {action}; it "
    "looked {depth} ahead.",
    "diagnosis.deep": "{player}, move {ply}: {action} is a mistake, but not even looking {beyond} moves ahead shows "
    "it.",
    "diagnosis.unreported": "{player}, move {ply}: looking {needed} moves ahead shows what is wrong with {action}; "
    "how far it looked, it did not report (turn.report(depth=...)).",
    "diagnosis.search": "{player}, move {ply}: a bug in search or evaluation: looking {needed} moves ahead shows "
    "that {action} is bad, and it reports that it looked {depth} ahead. Print which replies its search tries there, "
    "and what it says of each.",
    "diagnosis.evaluation": "{player}, move {ply}: looking {needed} moves ahead, our evaluation of positions prefers "
    "{better} to {action}, and it looked {depth} ahead. That proves no bug: print what its own evaluation says of "
    "both.",
    "diagnosis.early": "{player}, move {ply}: only {took_ms} of {move_ms} used for {action}; in the rest it could "
    "have looked about {bought} moves further ahead. Let it go deeper until its time is nearly up.",
    "diagnosis.late": "{player}, move {ply}: lost by the clock, after {took_ms} of {move_ms}; the position was "
    "{worth}.",
    "diagnosis.forfeit": "{player}, move {ply}: the position was {worth}.",
    "diagnosis.depth": "{player} has a bug: it looks one move less ahead than it reports",
    "diagnosis.sign": "{player} has a bug: its evaluation has the wrong sign, so that what is good gets low values",
    "diagnosis.view": "{player} has a bug: its evaluation is for whoever is to move, in place of itself",
    "diagnosis.last_move": "{player} has a bug: its search leaves out the last of the possible moves",
    "diagnosis.extra_turn": "{player} has a bug: its search does not know that a move can give another turn",
    "diagnosis.capture": "{player} has a bug: its search does not know captures",
    "diagnosis.bomb": "{player} has a bug: its search does not know the bomb",
    "diagnosis.fits": ". {fits} of {of} values compared fit that, and {telling} of them no correct search: at move "
    "{ply} it said {told}, looking {depth} ahead, where a correct search says {sound}.",
    "diagnosis.others": ". {fits} of {of} values compared, of this match and others, fit that, and {telling} of them "
    "no correct search: at move {ply} it said {told}, looking {depth} ahead, where a correct search says {sound}.",
    "diagnosis.there": "{player}, move {ply}: because of that bug it played {action}.",
    "cause.ends": "takes wins for losses",
    "diagnosis.ends": "{player} has a bug: where a game is over it takes wins for losses",
    "mend.ends": " Check whose result it reads there.",
    "mend.depth": " Check what depth it begins with, and where one is taken off.",
    "mend.sign": " Look for a minus that should be a plus, or the other way round.",
    "mend.view": " Give it the seat of the bot, not that of the player to move.",
    "mend.last_move": " Check where its loops over the possible moves end.",
    "mend.extra_turn": " After each move, ask again whose turn it is.",
    "mend.capture": " Compare its own moves with those of the rules.",
    "mend.bomb": " Compare its own moves with those of the rules.",
    # and in a word, for several matches:
    "cause.horizon": "did not look far enough",
    "cause.deep": "a mistake that no search sees",
    "cause.unreported": "did not look far enough, perhaps",
    "cause.search": "a bug in search or evaluation",
    "cause.evaluation": "a doubtful evaluation",
    "cause.early": "stopped early",
    "cause.late": "lost by the clock",
    "cause.forfeit": "crashed, left or played what is not legal",
    "cause.depth": "looked one move less ahead than it said",
    "cause.sign": "an evaluation with the wrong sign",
    "cause.view": "the evaluation of the other player",
    "cause.last_move": "leaves out the last move",
    "cause.extra_turn": "forgets another turn",
    "cause.capture": "forgets captures",
    "cause.bomb": "forgets the bomb",
    "worth.1": "won",
    "worth.0": "even",
    "worth.-1": "lost",
    "notice.queued": "Your challenge waits until {opponent} is free: it is number {place} in the queue.",
}


def sentence(kind: str, said: Mapping[str, object], language: Language = "en") -> str:
    """`said`: a `code` and its values. Milliseconds (`_ms`) are shown in seconds."""
    values = {name: _shown(name, value) for name, value in said.items()}
    sentences = spanish.SENTENCES if language == "es" else SENTENCES
    return re.sub(
        r"\b1 (move|match|jugada|partida)(?:es|s)\b", r"1 \1", sentences[f"{kind}.{said['code']}"].format(**values)
    )


def plural(number: int, one: str, many: str = "") -> str:
    """ "1 match", "2 matches"; without `many`, an s is added."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def said_of(ruling: Mapping[str, object], language: Language = "en") -> str:
    """A ruling, by its `verdict`, `winner` and `why`."""
    verdict = sentence("ruling", {"code": ruling["verdict"], "winner": ruling["winner"]}, language)
    return sentence("ruling", {"code": "by", "verdict": verdict, "why": ruling["why"]}, language)


def _shown(name: str, value: object) -> object:
    if isinstance(value, str):  # a bot's words may hold what steers a terminal
        return "".join(each if each.isprintable() else " " for each in value)
    return f"{value / 1000:.3f} s" if name.endswith("_ms") and isinstance(value, int) else value


class Said(str):
    """A sentence in English, that knows its code and values; after the line (and column) of a file if it is about one.

    A subclass says in `kind` what its codes are about.
    """

    kind: ClassVar[str]
    sentence: str
    code: str
    values: Mapping[str, object]
    line: int | None
    column: int | None

    def __new__(cls, code: str, line: int | None = None, column: int | None = None, /, **values: object) -> Self:
        place = "" if line is None else f"line {line}: " if column is None else f"line {line}, column {column}: "
        said = sentence(cls.kind, {"code": code, **values})
        self = super().__new__(cls, place + said)
        self.sentence, self.code, self.values, self.line, self.column = said, code, values, line, column
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[str, int | None, int | None], dict[str, object]]:
        return (self.code, self.line, self.column), dict(self.values)  # for pickle

    @classmethod
    def of(cls, said: Mapping[str, object]) -> Self:
        """From a map with a `code` and its values, as records hold it."""
        values: dict[str, Any] = {name: value for name, value in said.items() if name != "code"}
        return cls(str(said["code"]), **values)

    def at(self, line: int, column: int | None = None) -> Self:
        return type(self)(self.code, line, column, **self.values)

    @property
    def parts(self) -> dict[str, Any]:
        """As it is sent, for a page in any language."""
        place = {name: at for name, at in (("line", self.line), ("column", self.column)) if at is not None}
        return {**place, "message": self.sentence, "code": self.code, "values": self.values}
