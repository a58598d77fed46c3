"""The settings of the HTTP service, from the environment."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Final, NamedTuple

Reader = Callable[[str], Any]
"""What makes a value of a text; its ValueError goes on after "must be"."""


class Setting(NamedTuple):
    """What stands behind a field of :class:`Settings`; ``default`` is written as in the environment."""

    read: Reader
    default: str
    unit: str
    what: str

    @property
    def described(self) -> str:
        """What it is, on one line, with its default."""
        default = " ".join(filter(None, (self.default or "none", self.unit)))
        return f"{self.what} ({default})"


def _setting(read: Reader, default: str, unit: str, what: str) -> Any:
    return field(default=read(default), metadata={"setting": Setting(read, default, unit, what)})


def _number(least: int = 1) -> Reader:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise ValueError(f"a whole number of at least {least}")
        return int(text)

    return read


def _one_of(*values: str) -> Reader:
    def read(text: str) -> str:
        if text not in values:
            raise ValueError(f"one of {', '.join(values)}")
        return text

    return read


def _yes_no(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError("yes or no")
    return text == "yes"


def _list(each: Reader = str) -> Reader:
    def read(text: str) -> tuple[Any, ...]:
        return tuple(each(part.strip()) for part in text.split(",") if part.strip())

    return read


class Rate(NamedTuple):
    """So many requests in so many seconds."""

    amount: int
    seconds: int


_ORIGIN: Final = re.compile(r"\*|https?://[a-z0-9.\[\]:-]+")


def _origin(text: str) -> str:
    if not _ORIGIN.fullmatch(text):
        raise ValueError("origins such as https://example.org, in lower case and without a path, or *")
    return text


_PERIODS: Final = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


def _rate(text: str) -> Rate | None:
    amount, _, period = text.partition("/")
    if text == "none":
        return None
    if not amount.isascii() or not amount.isdigit() or int(amount) == 0 or period not in _PERIODS:
        raise ValueError(f"none, or a whole number and one of {', '.join(f'/{each}' for each in _PERIODS)}")
    return Rate(int(amount), _PERIODS[period])


@dataclass(frozen=True, slots=True)
class Settings:
    """Each is read from ``TRICKLOG_`` and its name in capitals."""

    max_body: int = _setting(_number(), "1048576", "bytes", "how long a request's body may be")
    max_record: int = _setting(_number(), "16777216", "bytes", "how long the body may be that brings a record")
    connections: int = _setting(_number(), "8", "", "how many connections to the database each worker holds")
    deliver: bool = _setting(_yes_no, "yes", "", "whether `serve` delivers webhooks too, beside its workers")
    webhooks_private: bool = _setting(_yes_no, "no", "", "whether webhooks may lead to private addresses, and by http")
    rate_key: Rate | None = _setting(  # noqa: RUF009
        _rate, "60000/minute", "", "how many requests a credential may send, or none"
    )
    rate_address: Rate | None = _setting(  # noqa: RUF009
        _rate, "1200/minute", "", "how many requests an address may send that shows no good credential, or none"
    )
    streams: int = _setting(
        _number(), "2500", "", "how many streams a credential may have open at each worker; an address a tenth of it"
    )
    head_seconds: int = _setting(
        _number(), "5", "seconds", "how long a connection may take until the head of its next request is there"
    )
    body_seconds: int = _setting(
        _number(),
        "30",
        "seconds",
        "how long each MiB of a request's body may take to come, or of an answer to be taken",
    )
    origins: tuple[str, ...] = _setting(
        _list(_origin), "", "", "which web pages may call, by their origins, such as https://example.org; * is any"
    )
    log: str = _setting(_one_of("info", "warning", "error"), "info", "", "what is logged: from which level on")
    proxies: int = _setting(
        _number(0), "0", "", "how many reverse proxies stand in front that set X-Forwarded-For and X-Forwarded-Proto"
    )
    heartbeat: int = _setting(_number(), "15", "seconds", "how long a stream may say nothing")


SETTINGS: Final[dict[str, Setting]] = {
    f"TRICKLOG_{each.name.upper()}": each.metadata["setting"] for each in fields(Settings)
}
"""Every setting by the name of its variable, in the order of :class:`Settings`."""


def read_settings() -> Settings:
    """The settings, with defaults for what is not set; ValueError says which is not what it must be."""
    values = []
    for name, setting in SETTINGS.items():
        text = os.environ.get(name, setting.default)
        try:
            values.append(setting.read(text))
        except ValueError as error:
            raise ValueError(f"{name} must be {error}, not {text!r}") from None
    return Settings(*values)
