"""The store: all SQL of the service, as functions that take a connection."""

from api.store.games import (
    Entry,
    Game,
    Head,
    Reading,
    append,
    create_game,
    list_games,
    read_events,
    read_game,
    read_head,
)
from api.store.ids import ApiKey, SeatToken, parse_api_key, parse_game_id, parse_seat_token
from api.store.keys import Key, any_key, create_key, list_keys, read_key, revoke_key
from api.store.pool import Connection, Pool, Unavailable, connection, open_pool

__all__ = [
    "ApiKey",
    "Connection",
    "Entry",
    "Game",
    "Head",
    "Key",
    "Pool",
    "Reading",
    "SeatToken",
    "Unavailable",
    "any_key",
    "append",
    "connection",
    "create_game",
    "create_key",
    "list_games",
    "list_keys",
    "open_pool",
    "parse_api_key",
    "parse_game_id",
    "parse_seat_token",
    "read_events",
    "read_game",
    "read_head",
    "read_key",
    "revoke_key",
]
