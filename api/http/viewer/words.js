// Words for cards, people and times, and the making of elements. Texts enter the document as text only.

const RANKS = {T: "10", J: "jack", Q: "queen", K: "king", A: "ace"};
const SUITS = {c: "clubs", d: "diamonds", h: "hearts", s: "spades"};
const SIGNS = {c: "♣", d: "♦", h: "♥", s: "♠"};
const JOKERS = {BJ: "big joker", LJ: "little joker"};

const NUMBERS = {two: "2", three: "3", four: "4", five: "5", six: "6", seven: "7", eight: "8", nine: "9", ten: "10",
  jack: "J", queen: "Q", king: "K", ace: "A"};

/** A card in words: "ace of hearts". */
export const cardName = (card) => JOKERS[card] ?? `${RANKS[card[0]] ?? card[0]} of ${SUITS[card[1]]}`;

/** A suit in words. */
export const suitName = (suit) => SUITS[suit];

const SPOKEN = new RegExp(`\\b(?:the )?(${Object.keys(NUMBERS).join("|")}|[2-9]|10) of (${Object.values(SUITS).join("|")})\\b`, "gi");
const WRITTEN = /\b([2-9TJQKA])([cdhs])\b/g;
const signOf = (suit) => SIGNS[suit[0].toLowerCase()];

/** A sentence with its cards as people write them, "A♥"; the `names` in it stay what they are, whatever they say. */
export const brief = (text, names) => text.split(wordsOf(names)).map((part, index) => index % 2 ? part
  : part.replace(SPOKEN, (_, rank, suit) => (NUMBERS[rank.toLowerCase()] ?? rank) + signOf(suit))).join("");

const KNOWN = new WeakMap();

/** A pattern of any of these names, as a word. */
function wordsOf(names) {
  if (!KNOWN.has(names)) KNOWN.set(names, new RegExp(`(?<![\\p{L}\\p{N}])(${names.toSorted((one, other) => other.length - one.length).map((name) =>
    name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|")})(?![\\p{L}\\p{N}])`, "u"));
  return KNOWN.get(names);
}

/** A sentence of the score sheet with the players' names for their seats. */
export const named = (text, players, sides) => text
  .replace(WRITTEN, (_, rank, suit) => (rank === "T" ? "10" : rank) + signOf(suit))
  .replace(/\b(?:[Ss]eat (\d)|[Tt]eam (\d))\b/g, (said, seat, team) => (seat ? players[seat] : sides[team]) ?? said);

/** "1 card", "2 cards". */
export const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

export const list = (words) => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

/** The names of those who score: players, or partners. */
export const sideNames = (players, sides) => sides === "seats" ? players
  : [0, 1].map((team) => players.filter((_, seat) => seat % 2 === team).join(" & "));

/** Which of those who score a seat belongs to. */
export const sideOf = (seat, sides) => sides === "seats" ? seat : seat % 2;

const TIME = new Intl.DateTimeFormat(undefined, {dateStyle: "medium", timeStyle: "short"});
export const moment = (text) => TIME.format(new Date(text));

/** An element with properties (`class`, `data`, `aria`, `on`, any other) and children: elements or texts. */
export function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key === "class") made.className = value;
    else if (key === "data") Object.assign(made.dataset, value);
    else if (key === "aria") for (const [part, said] of Object.entries(value)) made.setAttribute(`aria-${part}`, said);
    else if (key === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...present(children));
  return made;
}

const present = (children) => children.flat(2).filter((child) => child !== null && child !== undefined && child !== false);

/** Gives an element these children and no others. */
export const fill = (node, ...children) => node.replaceChildren(...present(children));

const SVG = "http://www.w3.org/2000/svg";

/** A drawing that shows a symbol of the sprite. */
export function picture(symbol, box, kind) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", box);
  drawing.setAttribute("class", kind);
  drawing.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${symbol}`);
  drawing.append(use);
  return drawing;
}

/** A suit's symbol, in its colour. */
export const suitSign = (suit) => el("span", {class: `suit ${suit}`, title: suitName(suit)}, picture(`suit-${suit}`, "0 0 24 24", "pip"),
  el("span", {class: "heard"}, suitName(suit)));

/** A drawing of one path on 24 by 24. */
export function icon(path) {
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("class", "icon");
  drawing.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  drawing.append(shape);
  return drawing;
}

/** The Markdown of a rule's text as elements: paragraphs, lists, tables, `code`, *emphasis*. */
export function prose(text) {
  return text.trim().split(/\n\s*\n/).map((block) => {
    const lines = block.trim().split("\n").map((line) => line.trim());
    if (lines[0].startsWith("|")) {
      const rows = lines.filter((line) => !/^\|[\s:|-]+\|$/.test(line)).map((line) => line.slice(1, -1).split("|"));
      return el("table", {}, ...rows.map((cells, row) =>
        el("tr", {}, ...cells.map((cell) => el(row ? "td" : "th", {}, ...inline(cell.trim()))))));
    }
    if (/^[-*] /.test(lines[0])) {
      return el("ul", {}, ...block.trim().split(/\n(?=[-*] )/).map((item) => el("li", {}, ...inline(item.slice(2)))));
    }
    return el("p", {}, ...inline(lines.join(" ")));
  });
}

function inline(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)/).filter(Boolean).map((part) => {
    if (part.length > 2 && part.startsWith("`")) return el("code", {}, part.slice(1, -1));
    if (part.startsWith("**")) return el("strong", {}, part.slice(2, -2));
    if (part.length > 2 && part.startsWith("*")) return el("em", {}, part.slice(1, -1));
    return part;
  });
}
