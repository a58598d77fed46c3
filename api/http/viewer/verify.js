// The proof, done here: canonical JSON, digests, heads, receipts and shuffles, after the pages on dealing and on records.

const UTF8 = new TextEncoder();
const STREAM = UTF8.encode("tricklog/1/shuffle");
const CLIENT_SEEDS = UTF8.encode("tricklog/1/client-seeds");
const TABLE_EVENTS = ["takeback", "abandon"];

export const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
export const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => { whole.set(part, at); return at + part.length; }, 0);
  return whole;
}

const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** The one form of RFC 8785. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** The digest of the event of that number in a record, over its salt; in hex. */
export async function digestOf({digest, salt, ...event}, seq) {
  return hex(await sha256(joined(bytesOf(salt), UTF8.encode(canonical({...event, seq})))));
}

const FACTS = ["format", "game", "ruleset", "version", "config", "players", "dealer", "commitment", "client_seeds"];

/** The head before the first event: what the game is. */
export function startOf(record) {
  const facts = Object.fromEntries(FACTS.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]));
  return sha256(UTF8.encode(canonical(facts)));
}

/** The heads of a record from before its first event on, one for each event; in hex. */
export async function headsOf(record, digests) {
  let head = await startOf(record);
  const heads = [hex(head)];
  for (const digest of digests) {
    head = await sha256(joined(head, bytesOf(digest)));
    heads.push(hex(head));
  }
  return heads;
}

/** Every head that a game can have had before its first event, while its client seeds came in. */
async function earlierStarts(record) {
  const seeds = record.client_seeds ?? [];
  const parts = seeds.reduce((found, seed) => found.flatMap((part) => [[...part, null], [...part, seed]]), [[]]);
  return Promise.all(parts.map(async (part) => hex(await startOf(seeds.length ? {...record, client_seeds: part} : record))));
}

export const commitmentOf = async (seed) => hex(await sha256(bytesOf(seed)));

// --- dealing ----------------------------------------------------------------------------------------------------------

const hmacKey = (bytes) => crypto.subtle.importKey("raw", bytes, {name: "HMAC", hash: "SHA-256"}, false, ["sign"]);
const hmac = async (key, bytes) => new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes));

/** The key of a game's stream, from its seed in hex and the client seeds. */
export async function streamKey(seed, clientSeeds = []) {
  const key = bytesOf(seed);
  return clientSeeds.length ? hmac(await hmacKey(key), joined(CLIENT_SEEDS, UTF8.encode(canonical(clientSeeds)))) : key;
}

async function* numbers(key, chance) {
  const signing = await hmacKey(key);
  for (let block = 0; ; block++) {
    const counts = new DataView(new ArrayBuffer(16));
    counts.setBigUint64(0, BigInt(chance));
    counts.setBigUint64(8, BigInt(block));
    const digest = new DataView((await hmac(signing, joined(STREAM, new Uint8Array(counts.buffer)))).buffer);
    for (let at = 0; at < 32; at += 4) yield digest.getUint32(at);
  }
}

/** The first numbers of the stream of a chance event. */
export async function firstNumbers(key, chance, many) {
  const found = [];
  for await (const number of numbers(key, chance)) if (found.push(number) === many) break;
  return found;
}

/** `items` in the order that the stream gives them at chance event number `chance`, from 0. */
export async function shuffle(key, chance, items) {
  const shuffled = [...items];
  const stream = numbers(key, chance);
  for (let place = shuffled.length - 1; place > 0; place--) {
    const bound = place + 1;
    const limit = 2 ** 32 - 2 ** 32 % bound;
    let number;
    do number = (await stream.next()).value; while (number >= limit);
    const other = number % bound;
    [shuffled[place], shuffled[other]] = [shuffled[other], shuffled[place]];
  }
  return shuffled;
}

/** The pack of a game in the order in which it is shuffled, by the description of its table. */
export function packOf({pack}, config, seats) {
  const {by, suits, ranks, jokers, out = []} = pack;
  const cards = by === "suit"
    ? [...suits].flatMap((suit) => [...ranks].map((rank) => rank + suit))
    : [...ranks].flatMap((rank) => [...suits].map((suit) => rank + suit));
  if (jokers && config.jokers) cards.push(...jokers);
  const gone = out.find((each) => each.seats === seats && each.jokers === config.jokers)?.cards ?? [];
  return cards.filter((card) => !gone.includes(card));
}

/** What was shuffled for a chance event; `turned` are the cards that events of its own type turned in this round. */
function itemsOf(spec, event, pack, seats, turned) {
  const {items, without} = spec.deals[event.type];
  if (items === "seats") return Array.from({length: seats}, (_, seat) => seat);
  if (items === "own") return pack.filter((card) => event.stock.includes(card));
  return without ? pack.filter((card) => !turned.includes(card)) : pack;
}

/** The event again with its cards from the front of what was shuffled, in the shape that it has. */
function dealtLike(event, fields, shuffled) {
  let at = 0;
  const fill = (shape) => Array.isArray(shape) ? shape.map(fill) : shuffled[at++];
  return Object.fromEntries(fields.map((field) => [field, fill(event[field])]));
}

/** One chance event dealt again: whether its cards are those. */
export async function dealsAgain(spec, key, chance, event, {config, seats, turned = []}) {
  const shuffled = await shuffle(key, chance, itemsOf(spec, event, packOf(spec, config, seats), seats, turned));
  const {to} = spec.deals[event.type];
  const again = dealtLike(event, to, shuffled);
  const whole = to.every((field) => field !== "stock") || to.flatMap((field) => event[field]).flat().length === shuffled.length;
  return whole && to.every((field) => canonical(again[field]) === canonical(event[field]));
}

/** Deals every chance event of a record again: how many there are, and the first that is not what the seeds deal. */
export async function checkDeals(spec, record) {
  const key = await streamKey(record.seed, (record.client_seeds ?? []).filter((seed) => seed !== null));
  let chance = 0;
  let live = [];
  for (const [index, event] of record.events.entries()) {
    if (event.type === "takeback") live = live.filter(({seq}) => seq <= event.to);
    if (event.seat !== undefined || TABLE_EVENTS.includes(event.type)) continue;
    const sinceDeal = live.slice(live.findLastIndex(({type}) => type === "deal") + 1);
    const turned = sinceDeal.filter(({type}) => type === event.type).map(({card}) => card);
    if (!await dealsAgain(spec, key, chance, event, {config: record.config, seats: record.players.length, turned})) return {deals: chance + 1, bad: index + 1};
    live.push({...event, seq: index + 1});
    chance++;
  }
  return {deals: chance, bad: null};
}

// --- receipts ---------------------------------------------------------------------------------------------------------

const base64url = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

/** Whether this browser can check Ed25519 signatures. */
export async function canCheckReceipts() {
  try {
    await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
    return true;
  } catch {
    return false;
  }
}

/** What a receipt says, once a key of the set has signed it; throws an Error that says why not. */
export async function readReceipt(text, jwks) {
  const [head, claims, signature] = text.split(".");
  let kid;
  try {
    ({kid} = JSON.parse(new TextDecoder().decode(base64url(head))));
    const jwk = jwks.keys.find((key) => key.kid === kid);
    if (!jwk) throw new RangeError(`It is signed with the key ${kid}, which this service does not publish.`);
    const key = await crypto.subtle.importKey("jwk", {kty: jwk.kty, crv: jwk.crv, x: jwk.x}, "Ed25519", false, ["verify"]);
    if (!await crypto.subtle.verify("Ed25519", key, base64url(signature), UTF8.encode(`${head}.${claims}`))) {
      throw new RangeError("Its signature is not that of the key that it names.");
    }
    return JSON.parse(new TextDecoder().decode(base64url(claims)));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new Error("It is no receipt.", {cause: error});
  }
}

/** Holds a receipt against the heads of a record; what is wrong with it, null for nothing. */
export async function checkReceipt(text, jwks, record, heads) {
  try {
    const {game, seq, head} = await readReceipt(text, jwks);
    if (game !== record.game) return `It is for another game, ${game}.`;
    const held = seq === 0 ? await earlierStarts(record) : [heads[seq]];
    return held.includes(head) ? null : `At event ${seq} this record has another head: it is not the record that was signed.`;
  } catch (error) {
    return error.message;
  }
}
