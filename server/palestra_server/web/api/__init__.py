"""`/api/v1`: everything that the page and the commands use, with one router per module."""

from palestra_server.web.api import (
    about,
    analyses,
    export,
    marks,
    matches,
    nodes,
    players,
    readiness,
    roster,
    screen,
    seasons,
    session,
    teachers,
    tournaments,
)

# All routers, in the order of the documentation.
ROUTERS = tuple(
    part.router
    for part in (
        *(about, session, teachers, roster, players, readiness, matches, analyses),
        *(tournaments, marks, seasons, screen, export, nodes),
    )
)
