"""The games offered as demonstrations. To offer some takes a login that may do more than the service's role."""

from collections.abc import Sequence

from api.store.ids import write_game_id
from api.store.pool import Connection


def offer(conn: Connection, games: Sequence[int]) -> None:
    """Lets everybody see these games, all at one moment."""
    conn.execute("INSERT INTO demonstrations SELECT unnest(%s::integer[])", (list(games),))


def withdraw(conn: Connection) -> int:
    """Lets nobody but their owner see any of them from now on; how many they were."""
    return conn.execute("DELETE FROM demonstrations").rowcount


def list_offered(conn: Connection) -> list[tuple[str, str]]:
    """The ruleset and the id of each, in the order in which they were made."""
    rows = conn.execute("SELECT game, nonce, ruleset FROM demonstrations JOIN games USING (game) ORDER BY game")
    return [(ruleset, write_game_id(game, nonce)) for game, nonce, ruleset in rows]


def is_offered(conn: Connection, game: int) -> bool:
    """Whether everybody may see the game of that number although it is private."""
    [(found,)] = conn.execute("SELECT EXISTS (SELECT FROM demonstrations WHERE game = %s)", (game,)).fetchall()
    return bool(found)
