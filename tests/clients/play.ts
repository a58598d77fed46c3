// A whole game of a ruleset, played as a front end would: openapi-fetch with the types that openapi-typescript makes.
// Usage: node play.js URL KEY RULESET. It is compiled by tsc --strict before it runs.

import createClient from "openapi-fetch";
import type { components, paths } from "./api";

declare const process: { argv: string[] };

type Schemas = components["schemas"];

const NEW_GAMES: Record<string, Schemas["NewGame"]> = {
  kraken: {
    ruleset: "kraken",
    players: ["Ada", "Ben", "Cleo", "Dan"],
    config: { rounds: 1, trump: "utrecht" },
    dealer: "service",
    visibility: "private",
  },
  "quadruple-war": {
    ruleset: "quadruple-war",
    players: ["Ada", "Ben"],
    config: { target: 1, bags: true },
    dealer: "service",
    visibility: "private",
  },
  soda: { ruleset: "soda", players: ["Ada", "Ben", "Cleo"], dealer: "service", visibility: "public" },
  thirteen: { ruleset: "thirteen", players: ["Ada", "Ben"], dealer: "service", visibility: "private" },
  wodka: {
    ruleset: "wodka",
    players: ["Ada", "Ben", "Cleo", "Dan"],
    config: { target: 1 },
    dealer: "service",
    visibility: "private",
  },
};

const [url, key, ruleset] = process.argv.slice(2) as [string, string, string];

function check(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

/** The answer of a call, unless it is a problem. */
async function answer<Answer>(call: Promise<{ data?: Answer; error?: { title: string; detail: string } }>): Promise<Answer> {
  const { data, error } = await call;
  check(data !== undefined, `${error?.title}: ${error?.detail}`);
  return data;
}

const clientFor = (token: string) =>
  createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });

/** One of the moves listed, with a choice made where it stands for many. */
function chosen(moves: Schemas["LegalMove"][]): Schemas["Move"] {
  const move = moves[Math.floor(Math.random() * moves.length)];
  check(move !== undefined, "there is a legal move");
  switch (move.type) {
    case "exchange":
      return { type: "exchange", cards: move.cards.of.slice(0, move.cards.choose) };
    case "declare":
      return { type: "declare", combinations: move.combinations.among };
    default:
      return move;
  }
}

/** The events of a stream of them, an event a line, until it ends. */
async function follow(client: ReturnType<typeof clientFor>, game: string): Promise<Schemas["Event"][]> {
  const { data } = await client.GET("/v1/games/{game}/events", {
    params: { path: { game }, query: { follow: true } },
    headers: { Accept: "application/x-ndjson" },
    parseAs: "text",
  });
  check(typeof data === "string", "a stream");
  const lines = (data as string).split("\n").filter((line) => line !== "");
  return lines.map((line): Schemas["Event"] => JSON.parse(line));
}

const owner = clientFor(key);
const body = NEW_GAMES[ruleset];
check(body !== undefined, "a ruleset");
const made = await answer(owner.POST("/v1/games", { body }));
const params = { path: { game: made.id } };
const seats = made.seat_tokens.map(clientFor);
const followed = follow(owner, made.id);

let toAct = made.to_act;
while (toAct.length > 0) {
  const seat = toAct[Math.floor(Math.random() * toAct.length)];
  const player = seat === undefined ? undefined : seats[seat];
  check(player !== undefined, "a seat with a token");
  const legal = await answer(player.GET("/v1/games/{game}/legal-moves", { params }));
  const accepted = await answer(player.POST("/v1/games/{game}/moves", { params, body: { moves: [chosen(legal.moves)] } }));
  toAct = accepted.to_act;
}

const { error } = await owner.POST("/v1/games/{game}/moves", {
  params,
  body: { moves: [{ seat: 0, type: "bid", tricks: 1 }] },
});
check(error?.type === "/problems/illegal-move", "a move after the end is illegal");
check(error.rule === "common.over" && error.index === 0 && error.seat === 0, error.detail);

const game = await answer(owner.GET("/v1/games/{game}", { params }));
check(game.status === "finished" && game.winners.length > 0, game.status);
if (game.ruleset === "quadruple-war") check(game.config.bags && game.config.jokers, "the options of Quadruple War");

const ledger = await answer(owner.GET("/v1/games/{game}/ledger", { params }));
const sums = ledger.totals.map((_, side) =>
  ledger.lines.filter((line) => line.side === side).reduce((sum, line) => sum + line.points, 0),
);
check(String(sums) === String(ledger.totals), "the totals are the sums of the lines");
check(String(game.scores) === String(ledger.totals), "the scores are the totals");

const audit = await answer(owner.GET("/v1/games/{game}/audit", { params }));
check(audit.ok, audit.checks.map((each) => each.detail).join("; "));

const events = await followed;
check(events.length === game.seq, `${events.length} events followed of ${game.seq}`);
check(events.every((event, place) => event.seq === place + 1), "no event is missing, and none there twice");
for (const effect of events.at(-1)?.effects ?? [])
  if (effect.type === "game-over") check(String(effect.winners) === String(game.winners), "the same winners");
const played = events.filter((event) => event.type === "play").flatMap((event) => ("card" in event ? [event.card] : event.cards));
check(played.length > 0, "cards were played");
console.log(`${game.ruleset}: ${events.length} events, totals ${ledger.totals}`);
