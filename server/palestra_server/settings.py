"""The server's settings, each an option or a `PALESTRA_*` variable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from palestra_protocol import limits

# In the data folder while a server is running: its address for commands, and the key.
ADDRESS_FILE: Final = "server.json"
EVERYWHERE: Final = "0.0.0.0"


class Settings(BaseSettings):
    """Every field can be given as `PALESTRA_` and its name in capitals, such as `PALESTRA_WEB_PORT=8080`.

    Ports: 0 lets the system choose. Times are milliseconds.
    """

    model_config = SettingsConfigDict(env_prefix="PALESTRA_", extra="forbid", frozen=True)

    host: str = EVERYWHERE
    port: int = Field(default=8765, ge=0, le=65535)
    web_port: int = Field(default=8000, ge=0, le=65535)
    data: Path = Path("palestra-data")
    database: str | None = None
    # The name of this machine, if several share the database; then `advertise` is where bots and the others find it.
    node: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    advertise: str | None = Field(default=None, pattern=r"^wss?://[^/\s]+/?$")
    guests: bool = False
    move_ms: int = Field(default=limits.MOVE_MS, ge=1, le=3_600_000)
    grace_ms: int = Field(default=limits.GRACE_MS, ge=0, le=60_000)
    ready_ms: int = Field(default=limits.READY_MS, ge=1, le=3_600_000)
    away_ms: int = Field(default=limits.AWAY_MS, ge=0, le=3_600_000)
    challenge_ms: int = Field(default=limits.CHALLENGE_MS, ge=0, le=3_600_000)
    ply_limit: int = Field(default=limits.PLY_LIMIT, ge=1, le=10_000)
    # Reference bots that are always running, for practice, separated by spaces.
    bots: Annotated[tuple[str, ...], NoDecode] = ()
    judge: bool = False  # whether a judge runs beside the server
    max_watchers: int = Field(default=1500, ge=1)
    max_guests: int = Field(default=500, ge=1)
    # Watchers, and guests, from one address, which may be that of a whole school.
    max_per_address: int = Field(default=400, ge=1)
    # The teacher's key; None for the one in the data folder's `teacher.key`.
    admin_key: SecretStr | None = Field(default=None, min_length=16)
    # The server's public URL, if a proxy or the DNS gives it one.
    site: str | None = Field(default=None, pattern=r"^https?://[^/\s]+/?$")
    # Addresses of reverse proxies, separated by spaces; their X-Forwarded-For is trusted.
    proxies: Annotated[tuple[str, ...], NoDecode] = ("127.0.0.1", "::1")
    # Other origins whose pages may connect, separated by spaces: "https://school.edu https://other.edu".
    origins: Annotated[tuple[str, ...], NoDecode] = ()
    metrics: str = "all"  # who may read `/metrics`: "all", an address or network, or a key
    log: Literal["console", "json"] = "console"
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @field_validator("host")
    @classmethod
    def _everywhere(cls, value: str) -> str:
        """One name for all interfaces: IPv6 is listened on beside IPv4."""
        return EVERYWHERE if value in ("", "::") else value

    @field_validator("database")
    @classmethod
    def _from_file(cls, value: str | None) -> str | None:
        """`@FILE`: the file has it, since the options of a process are seen by everybody on the machine."""
        if value is None or not value.startswith("@"):
            return value
        try:
            return Path(value[1:]).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{value[1:]} cannot be read ({error})") from None

    @field_validator("bots", "origins", "proxies", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return value.split() if isinstance(value, str) else value
