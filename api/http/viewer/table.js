// The table: cards and plates laid out on the felt. A card keeps its element from moment to moment, so it moves where it goes.

import {layOut, measure} from "./layout.js";
import {cardName, count, el, fill, list, picture, sideOf, suitName, suitSign} from "./words.js";

const LEAVE = 300;

export class CardTable extends HTMLElement {
  connectedCallback() {
    this.nodes = new Map();
    this.present = new Map();
    this.cards = el("div", {class: "cards", aria: {hidden: "true"}});
    this.labels = el("div", {class: "labels", aria: {hidden: "true"}});
    this.plates = el("div", {class: "plates", aria: {hidden: "true"}});
    this.signs = el("div", {class: "signs", aria: {hidden: "true"}});
    this.words = el("div", {class: "heard", role: "region", aria: {label: "The table in words"}, tabIndex: -1});
    fill(this, el("div", {class: "felt"}, this.cards, this.labels, this.plates, this.signs), this.words);
    new ResizeObserver(() => this.resize()).observe(this);
  }

  /** Sets whose table it is: the game, its ruleset and the names of its sides. */
  set game({game, ruleset, sides}) {
    this.info = {game, ruleset, sides};
    fill(this.plates);
    this.plate = game.players.map((name, seat) => {
      const parts = {
        name: el("span", {class: "name", title: name}, name),
        score: el("span", {class: "score"}),
        marks: el("span", {class: "marks"}),
      };
      parts.whole = el("div", {class: `plate side-${sideOf(seat, ruleset.sides)}${ruleset.sides === "teams" ? " team" : ""}`},
        el("div", {class: "who"}, parts.name, parts.score), parts.marks);
      this.plates.append(parts.whole);
      return parts;
    });
  }

  resize() {
    this.measured = null;
    if (this.scene) this.show(this.scene, {turn: this.turn, still: true});
  }

  /** Shows a moment, moving there from the one shown before unless `still`. */
  show(scene, {turn, still}) {
    this.scene = scene;
    if (!this.measured || this.turn !== turn || this.largest !== scene.largest) {
      const {clientWidth: width, clientHeight: height} = this;
      if (!width || !height) return;
      this.measured = measure(width, height, this.info.game.players.length, scene.largest);
      this.turn = turn;
      this.largest = scene.largest;
      this.style.setProperty("--card-width", `${this.measured.card}px`);
      this.classList.toggle("narrow", this.measured.narrow);
    }
    const laid = layOut(this.measured, scene, turn);
    this.cards.classList.toggle("moving", !still);
    this.place(laid, still);
    this.label(laid);
    this.seat(scene, laid);
    this.sign(scene.frame.state);
  }

  place({drawn, center}, still) {
    const now = new Map();
    for (const each of drawn) {
      const {key} = each;
      now.set(key, each);
      const before = this.present.get(key);
      let node = this.nodes.get(key);
      if (!node) {
        node = el("div", {class: each.card ? `card ${each.card[0] === "B" || each.card[0] === "L" ? "joker" : each.card[1]}` : "card back"},
          picture(each.card ? `c-${each.card}` : "back", "0 0 60 84", "face"));
        this.nodes.set(key, node);
      }
      if (!before) {
        clearTimeout(node.leaving);
        if (!still) this.set(node, this.origin(each, center), true);
        this.cards.append(node);
        if (!still) node.getBoundingClientRect();
      }
      this.set(node, each, false);
    }
    for (const [key, each] of this.present) {
      if (now.has(key)) continue;
      const node = this.nodes.get(key);
      if (still || each.zone === "pile") {
        node.remove();
      } else {
        const to = each.zone === "lies" ? this.spot(each.seat) : each;
        this.set(node, {...each, x: to.x, y: to.y, z: each.z}, true);
        node.leaving = setTimeout(() => { if (!this.present.has(key)) node.remove(); }, LEAVE);
      }
    }
    this.present = now;
  }

  spot(seat) {
    const seats = this.info.game.players.length;
    return this.measured.places[(seat - this.turn + seats) % seats].middle;
  }

  /** Where a card comes from that was not to be seen before. */
  origin(each, center) {
    if (each.zone === "lies") return {...each, ...this.spot(each.seat), z: 400};
    if (each.zone === "hand") {
      const pile = [...this.present.values()].find(({key}) => key.startsWith("d:"));
      return {...each, x: pile?.x ?? center.x, y: pile?.y ?? center.y};
    }
    return each;
  }

  set(node, {x, y, scale, z, won, dim}, faint) {
    const transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) scale(${scale.toFixed(3)})`;
    if (node.transform !== transform) node.style.transform = node.transform = transform;
    if (node.z !== z) node.style.zIndex = node.z = z;
    const state = `${faint ? "faint " : ""}${won ? "won " : ""}${dim ? "dim" : ""}`;
    if (node.state !== state) node.dataset.state = node.state = state;
  }

  label({piles, corner}) {
    const wanted = piles.map(({label, count: number, x, y}) => ({text: number === null ? label : `${label} ${number}`, x, y, centred: true}));
    if (corner) wanted.push({text: `Last: ${this.info.game.players[corner.taker] ?? ""}`, x: corner.x, y: corner.y + 2});
    while (this.labels.children.length < wanted.length) this.labels.append(el("span", {class: "label"}));
    [...this.labels.children].forEach((node, index) => {
      const each = wanted[index];
      node.hidden = !each;
      if (!each) return;
      write(node, each.text);
      const transform = `translate(${each.x.toFixed(1)}px, ${each.y.toFixed(1)}px)${each.centred ? " translateX(-50%)" : ""}`;
      if (node.transform !== transform) node.style.transform = node.transform = transform;
    });
  }

  seat({frame, spec}, {lies}) {
    const {state} = frame;
    const {game, ruleset} = this.info;
    const seats = game.players.length;
    this.plate.forEach((parts, seat) => {
      const {plate, room, line} = this.measured.places[(seat - this.turn + seats) % seats];
      const side = sideOf(seat, ruleset.sides);
      const transform = `translate(${plate.x.toFixed(1)}px, ${plate.y.toFixed(1)}px) translateX(-50%)`;
      if (parts.transform !== transform) {
        parts.whole.style.transform = parts.transform = transform;
        // below lie the last trick and the signs beside it
        parts.whole.style.maxWidth = `${line === "bottom" ? this.measured.width * (this.measured.narrow ? 0.44 : 0.5) : Math.max(room, 108)}px`;
      }
      const {classList} = parts.whole;
      classList.toggle("acts", state.to_act.includes(seat));
      classList.toggle("takes", lies.taker === seat);
      classList.toggle("won", state.winners.includes(side));
      write(parts.score, String(state.scores[side]));
      const marks = badges(spec, state, seat);
      if (state.dealer === seat) marks.unshift({key: "dealer", text: "D", label: "dealer", kind: "dealer"});
      if (state.hands[seat].count) marks.push({key: "cards", text: String(state.hands[seat].count), label: count(state.hands[seat].count, "card"), kind: "count"});
      const key = marks.map((mark) => `${mark.key}=${mark.text}${mark.cards ?? ""}`).join(";");
      if (parts.key !== key) {
        parts.key = key;
        fill(parts.marks, ...marks.map(drawMark));
      }
    });
  }

  sign(state) {
    const signs = signsOf(this.info, state);
    const key = JSON.stringify(signs);
    if (this.signKey === key) return;
    this.signKey = key;
    fill(this.signs, ...signs.map(({label, text, suit}) =>
      el("span", {class: "sign"}, suit ? [`${label}: `, suitSign(suit)] : text ? `${label}: ${text}` : label)));
  }

  /** Says the table in words, for who can't see it; once the reader rests. */
  tell({frame, spec}) {
    const {state} = frame;
    const {game, ruleset, sides} = this.info;
    const lies = layOut(this.measured ?? measure(800, 600, game.players.length, 13), this.scene, this.turn).lies;
    const seats = game.players.map((name, seat) => {
      const hand = state.hands[seat];
      const said = [
        ruleset.sides === "teams" ? `team ${sides[seat % 2]}` : null,
        `${state.scores[sideOf(seat, ruleset.sides)]} points`,
        state.dealer === seat ? "dealer" : null,
        state.to_act.includes(seat) ? "to act" : null,
        ...badges(spec, state, seat).map(({label, cards}) => cards ? `${label} ${list(cards.map(cardName))}` : label),
        count(hand.count, "card") + (hand.cards?.length ? `: ${list(hand.cards.map(cardName))}` : ""),
      ];
      return el("li", {}, `${name}: ${said.filter(Boolean).join("; ")}.`);
    });
    const lying = lies.plays.map(({seat, cards}) => el("li", {}, `${game.players[seat]}: ${list(cards.map(cardName))}.`));
    const around = [
      ...signsOf(this.info, state).map(({label, text, suit}) => `${label}${suit || text ? `: ${suit ? suitName(suit) : text}` : ""}.`),
      ...spec.piles.map((pile) => ({pile, value: state.table[pile.field]})).filter(({value}) => value !== null && value !== undefined).map(({pile, value}) => {
        const cards = value.count === undefined ? [value].flat() : [];
        return `${pile.label}: ${value.count ?? (cards.length ? list(cards.map(cardName)) : "nothing")}.`;
      }),
    ];
    fill(this.words,
      el("h2", {}, "The table in words"),
      el("ul", {aria: {label: "Seats"}}, ...seats),
      el("h3", {}, lies.plays.length ? "On the table" : "Nothing lies on the table"),
      lying.length ? el("ol", {aria: {label: "On the table"}}, ...lying) : null,
      ...around.map((said) => el("p", {}, said)),
    );
  }
}

const write = (node, text) => { if (node.textContent !== text) node.textContent = text; };

const PLACES = ["1st", "2nd", "3rd", "4th", "5th", "6th"];

/** What stands at a seat, by the description of the table: `{text, label}`, with `cards` where these are cards. */
function badges(spec, {table}, seat) {
  const found = [];
  for (const {field, as, label, by, words, with: other} of spec.badges) {
    const value = table[field];
    const own = Array.isArray(value) ? value[by === "team" ? seat % 2 : seat] : null;
    const add = (text, said, more = {}) => found.push({key: field, text, label: said, ...more});
    if (as === "of" && own !== null && own !== undefined) {
      const got = table[other][seat];
      add(`${got}/${own}`, `${label}: ${got} of ${own}`, {kind: got >= own ? "made" : "of"});
    } else if (as === "count" && own) {
      add(`${label} ${own}`, `${label}: ${own}`);
    } else if (as === "is" && value === seat) {
      add(label, label, {kind: "strong"});
    } else if (as === "in" && table[spec.lies.field]?.length && value?.includes(seat)) {
      // out of the trick, as long as there is one
      add(label, label, {kind: "faded"});
    } else if (as === "place" && value?.includes(seat)) {
      const place = PLACES[value.indexOf(seat)];
      add(place, `${label} ${place}`, {kind: "place"});
    } else if (as === "word" && own) {
      add(words[own], `${label}: ${words[own]}`, {kind: "strong"});
    } else if (as === "cards" && own?.length) {
      add("", label, {cards: own});
    } else if (as === "combinations" && own) {
      for (const {points, cards} of own) add(cards ? String(points) : `${label} ${points}`, `${label} ${points}`, cards ? {cards} : {});
    }
  }
  return found;
}

function drawMark({text, label, kind, cards}) {
  if (!cards) return el("span", {class: `mark ${kind ?? ""}`, title: label}, text);
  // cards of one suit in one, so that they all find room
  const suits = Map.groupBy(cards, (card) => card[1]);
  return el("span", {class: "mark small", title: `${label}: ${list(cards.map(cardName))}`}, text, text ? " " : null,
    ...[...suits].map(([suit, all]) => el("span", {class: "tiny"}, all.map((card) => card[0] === "T" ? "10" : card[0]).join(" "), suitSign(suit))));
}

/** What holds for the whole table: `{label, text?, suit?}`. */
function signsOf({ruleset, sides}, {table}) {
  return ruleset.table.signs.flatMap(({field, as, label}) => {
    const value = table[field];
    if (!value) return [];
    if (as === "suit") return [{label, suit: value}];
    if (as === "flag") return [{label}];
    if (as === "times") return value > 1 ? [{label, text: `×${value}`}] : [];
    if (as === "points") return [{label, text: `${value.points} for ${sides[value.team]}`}];
    return [{label, text: value.type.replace("-", " ")}];
  });
}

customElements.define("card-table", CardTable);
