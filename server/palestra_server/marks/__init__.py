"""Marks back to where they belong: Moodle's import, Canvas' own gradebook, a table for people."""

from palestra_server.marks.canvas import fill_canvas
from palestra_server.marks.marked import MarksError, Sheet, for_people, marked
from palestra_server.marks.moodle import for_moodle
