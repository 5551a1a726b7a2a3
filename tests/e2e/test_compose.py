"""docker-compose.yml and the Dockerfile, checked without an engine: what they name must exist and be safe."""

import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import typer.main
import yaml

from palestra_bots.cli import app as bots_app
from palestra_client.cli.commands import app as client_app
from palestra_server.cli.main import app as server_app

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
BOTS = ("alphabeta", "mtdf", "random")
NODES = ("node1", "node2", "node3")
COMMANDS = {
    "palestra-server": typer.main.get_command(server_app),
    "palestra": typer.main.get_command(client_app),
    "palestra-bots": typer.main.get_command(bots_app),
}


def instructions():
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    return [line.split(maxsplit=1) for line in text.splitlines() if line.strip() and not line.startswith("#")]


def test_the_server_its_database_and_the_three_bots():
    assert {name for name, service in SERVICES.items() if "profiles" not in service} == {"server", "database", *BOTS}
    for name in BOTS:
        assert SERVICES[name]["depends_on"] == {"server": {"condition": "service_healthy"}}
        assert SERVICES[name]["command"][:3] == ["palestra", "join", f"palestra_bots:{name}"]
    assert SERVICES["server"]["depends_on"] == {"database": {"condition": "service_healthy"}}


def test_the_server_finds_its_database():
    url = urlsplit(SERVICES["server"]["environment"]["PALESTRA_DATABASE"].replace("${", "$").replace("}", ""))
    given = SERVICES["database"]["environment"]
    assert (url.hostname, url.port) == ("database", 5432)
    assert (url.username, url.path[1:]) == (given["POSTGRES_USER"], given["POSTGRES_DB"])
    assert given["POSTGRES_PASSWORD"] in SERVICES["server"]["environment"]["PALESTRA_DATABASE"]
    assert "ports" not in SERVICES["database"]


def test_one_image_is_built_here_and_fetched_from_nowhere():
    ours = {name: service for name, service in SERVICES.items() if name not in ("database", "front")}
    assert {service["image"] for service in ours.values()} == {"palestra"}
    assert {name: service["pull_policy"] for name, service in ours.items()} == {
        "server": "build",
        "node1": "build",
        **dict.fromkeys((*BOTS, "node2", "node3"), "never"),
    }
    assert {name for name, service in SERVICES.items() if service.get("build") == "."} == {"server", "node1"}


def test_the_nodes_of_a_cluster_and_what_stands_in_front_of_them():
    assert {name for name, service in SERVICES.items() if service.get("profiles") == ["cluster"]} == {*NODES, "front"}
    given = [SERVICES[name]["environment"] for name in NODES]
    assert [(each["PALESTRA_NODE"], each["PALESTRA_ADVERTISE"]) for each in given] == [
        (name, f"ws://{name}:8765") for name in NODES
    ]
    for key in ("PALESTRA_DATABASE", "PALESTRA_GUESTS"):
        assert {each[key] for each in given} == {SERVICES["server"]["environment"][key]}
    places = {SERVICES[name]["networks"]["default"]["ipv4_address"] for name in (*NODES, "front")}
    assert all(set(each["PALESTRA_PROXIES"].split()) == places for each in given)
    front = SERVICES["front"]
    assert set(front["depends_on"]) == set(NODES)
    assert front["ports"] == SERVICES["server"]["ports"]
    told = COMPOSE["configs"]["front"]["content"]
    for port in (8765, 8000):
        assert " ".join(f"{name}:{port}" for name in NODES) in told
    assert "health_uri /healthz?referee" in told


def test_the_database_is_well_only_when_it_takes_connections_by_network():
    assert SERVICES["database"]["healthcheck"]["test"][1:4] == ["pg_isready", "-h", "127.0.0.1"]


def test_what_is_kept_has_a_volume():
    named = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", ())}
    assert named == set(COMPOSE["volumes"])


def test_the_image_is_small_healthy_and_not_root():
    lines = instructions()
    last_stage = lines[[i for i, (word, _) in enumerate(lines) if word == "FROM"][-1] :]
    assert re.fullmatch(r"python:3\.1[1-9]-slim", last_stage[0][1])
    users = [rest for word, rest in last_stage if word == "USER"]
    assert users
    assert users[-1] not in ("0", "root")
    assert any(word == "HEALTHCHECK" for word, _ in last_stage)
    assert all("pip" not in rest for word, rest in last_stage if word == "RUN")


def test_what_the_image_copies_is_there_and_is_let_through():
    ignored = (ROOT / ".dockerignore").read_text().split()
    for word, rest in instructions():
        if word == "COPY" and not rest.startswith("--from"):
            source = rest.split()[0]
            assert (ROOT / source).exists()
            assert f"!{source.split('/')[0]}" in ignored


def commands():
    for word, rest in instructions():
        if word == "CMD":
            yield yaml.safe_load(rest)
        if word == "RUN" and rest.startswith("palestra"):
            yield shlex.split(rest)
    for service in SERVICES.values():
        if "command" in service:
            yield service["command"]


@pytest.mark.parametrize("command", list(commands()), ids=shlex.join)
def test_a_command_is_understood_by_our_programs(command):
    program, verb, *options = command
    group = COMMANDS[program]
    with group.make_context(program, [verb], resilient_parsing=True) as outer:
        _, subcommand, _ = group.resolve_command(outer, [verb])
    with subcommand.make_context(verb, list(options), resilient_parsing=False) as context:
        assert not context.args


def test_no_container_may_more_than_it_needs():
    for service in SERVICES.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
