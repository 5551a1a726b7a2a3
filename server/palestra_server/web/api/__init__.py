"""`/api/v1`: what the page shows and what the commands do, one router a module."""

from palestra_server.web.api import about, export, matches, players, readiness, roster, session, tournaments

ROUTERS = (
    about.router,
    session.router,
    roster.router,
    players.router,
    readiness.router,
    matches.router,
    tournaments.router,
    export.router,
)
"""All of them, in the order of the documentation."""
