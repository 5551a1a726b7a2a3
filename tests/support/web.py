"""The web port, called in process: the teacher's key there, and what a refusal looks like."""

from fastapi.routing import iter_route_contexts

KEY = "the-key-of-the-teacher"


def fault(answer, status, code):
    body = answer.json()
    assert (answer.status_code, body["error"]) == (status, code), body
    assert body["message"].endswith((".", ")."))
    return body


def api_of(app):
    while not hasattr(app, "routes"):
        app = app._app
    return app


def dependants(app):
    """Every route's dependant; then what these depend on."""
    routes = iter_route_contexts(api_of(app).routes)
    found = [route.dependant for route in routes if getattr(route, "dependant", None)]
    for each in found:
        found += each.dependencies
    return found
