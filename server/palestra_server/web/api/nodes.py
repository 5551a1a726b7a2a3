"""The machines of this server: who referees, who stands by, and a planned hand-over."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from palestra_server.runtime.machines import Machines
from palestra_server.store import SeenNode, StoreAway
from palestra_server.web import API
from palestra_server.web.access import CheckedRoute, Reader, Teacher
from palestra_server.web.errors import ApiError
from palestra_server.web.state import Running

router = APIRouter(prefix=API, tags=["nodes"], route_class=CheckedRoute)


@router.get("/nodes")
async def nodes(server: Running, _: Reader) -> dict[str, Any]:
    """The machines that share this server's database; none without `serve --node`."""
    machines = server.machines
    return {"nodes": [] if machines is None else [_shown(seen) for seen in machines.cluster.nodes]}


@router.post("/nodes/{name}/drain")
async def drain(name: str, server: Running, _: Teacher) -> dict[str, Any]:
    """Have this node hand over, if it referees, and not take over again until `resume` or its next start."""
    machines = _machines(server.machines, name)
    if not machines.successors(name):
        raise ApiError(
            409,
            "nobody_else",
            f"No other node could take over from {name}: start one with 'palestra-server serve --node' first.",
        )
    return await _set(machines, name, True)


@router.post("/nodes/{name}/resume")
async def resume(name: str, server: Running, _: Teacher) -> dict[str, Any]:
    """Let this node take over again when it is needed."""
    return await _set(_machines(server.machines, name), name, False)


def _machines(machines: Machines | None, name: str) -> Machines:
    if machines is None or machines.cluster.seen(name) is None:
        raise ApiError(404, "unknown_node", f"There is no node {name}; 'palestra-server node list' shows them.")
    return machines


async def _set(machines: Machines, name: str, drained: bool) -> dict[str, Any]:
    try:
        await machines.drain(name, drained)
    except StoreAway as away:
        raise ApiError(503, "try_later", str(away)) from None
    return {"nodes": [_shown(seen) for seen in machines.cluster.nodes]}


def _shown(seen: SeenNode) -> dict[str, Any]:
    if not seen.there:
        state = "gone"
    elif seen.referees:
        state = "draining" if seen.drained else "referee"
    else:
        state = "drained" if seen.drained else "standby"
    node = seen.node
    return {
        "name": node.name,
        "state": state,
        "page": node.page,
        "bots": node.bots,
        "version": node.version,
        "seen_s": round(seen.ago_s, 1),
        "trouble": seen.trouble,
        "load": round(100 * seen.load),
    }
