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
ROUTERS = (
    about.router,
    session.router,
    teachers.router,
    roster.router,
    players.router,
    readiness.router,
    matches.router,
    analyses.router,
    tournaments.router,
    marks.router,
    seasons.router,
    screen.router,
    export.router,
    nodes.router,
)
