// Where everything lies on the table: pure geometry, from a frame and the description of the game's table.

import {lying} from "./story.js";

// where each seat's hand lies, clockwise from the reader: [x as a part of the width, line, width as a part, place of the plate]
const WIDE = {
  2: [[0.5, "bottom", 0.8], [0.5, "top", 0.8]],
  3: [[0.5, "bottom", 0.62], [0.2, "top", 0.36], [0.8, "top", 0.36]],
  4: [[0.5, "bottom", 0.62], [0.16, "middle", 0.27], [0.5, "top", 0.56], [0.84, "middle", 0.27]],
  5: [[0.5, "bottom", 0.5], [0.14, "middle", 0.25], [0.25, "top", 0.34], [0.75, "top", 0.34], [0.86, "middle", 0.25]],
  6: [[0.5, "bottom", 0.5], [0.14, "middle", 0.24], [0.18, "top", 0.28], [0.5, "top", 0.28], [0.82, "top", 0.28], [0.86, "middle", 0.24]],
};
const NARROW = {
  2: [[0.5, "bottom", 0.96], [0.5, "top", 0.96]],
  3: [[0.5, "bottom", 0.96], [0.25, "top", 0.46], [0.75, "top", 0.46]],
  4: [[0.5, "bottom", 0.96], [0.25, "second", 0.46], [0.5, "top", 0.9], [0.75, "second", 0.46]],
  5: [[0.5, "bottom", 0.96], [0.25, "second", 0.46], [0.25, "top", 0.46], [0.75, "top", 0.46], [0.75, "second", 0.46]],
  6: [[0.5, "bottom", 0.96], [0.25, "second", 0.46], [0.18, "top", 0.31], [0.5, "top", 0.31], [0.82, "top", 0.31], [0.75, "second", 0.46]],
};

const RATIO = 84 / 60;
const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

/** The sizes and places that depend on the felt and the number of seats alone. */
export function measure(width, height, seats, largest) {
  const narrow = width < 640;
  const slots = (narrow ? NARROW : WIDE)[seats];
  const card = narrow ? clamp(width * 0.125, 36, 58) : clamp(Math.min(width * 0.078, height * 0.112), 44, 84);
  const others = narrow ? 0.72 : 0.86;
  const plate = narrow ? 40 : 46;
  const lines = {top: plate + 10};
  const places = slots.map(([x, line, part], turn) => {
    const size = turn === 0 ? card : card * others;
    const room = width * part;
    const rows = rowsOf(largest, room, size);
    return {turn, x: x * width, line, room, size, rows, tall: size * RATIO + (rows - 1) * size * 0.62};
  });
  const below = (line) => Math.max(0, ...places.filter((place) => place.line === line).map(({tall}) => tall));
  const top = below("top");
  lines.second = lines.top + top + plate + 10;
  const reader = places[0];
  const foot = height - plate - 12;
  for (const place of places) {
    if (place.line === "bottom") place.y = foot - place.tall;
    else if (place.line === "middle") place.y = height * 0.46 - place.tall / 2 + plate / 2;
    else place.y = lines[place.line];
    place.plate = {x: place.x, y: place.line === "bottom" ? foot + 6 : place.y - plate - 4};
    place.middle = {x: place.x, y: place.y + place.tall / 2};
  }
  const sides = places.some(({line}) => line === "middle");
  const head = below("second") ? lines.second + below("second") : top ? lines.top + top : 8;
  const left = sides ? Math.max(...places.filter(({line}) => line === "middle").map(({room, x}) => Math.min(x, width - x) + room / 2)) : 0;
  const center = {
    x: width / 2,
    y: (head + reader.y) / 2 + (narrow ? 2 : 0),
    room: sides ? width - 2 * left - 20 : width * 0.92,
    tall: reader.y - head,
  };
  return {width, height, narrow, card, others, places, center};
}

function rowsOf(count, room, size) {
  const fit = Math.max(1, Math.floor((room - size) / (size * 0.36)) + 1);
  return clamp(Math.ceil(count / fit), 1, 4);
}

/** Sorts the cards of a hand as the game's players hold them. */
export function sorted(cards, hand, trump) {
  const suits = trump ? trump + hand.suits.replace(trump, "") : hand.suits;
  const rank = (card) => (/^[BL]J$/.test(card) ? "BL".indexOf(card[0]) - 2 : hand.ranks.indexOf(card[0]));
  const suit = (card) => (/^[BL]J$/.test(card) ? -1 : suits.indexOf(card[1]));
  const by = hand.by === "rank" ? [rank, suit] : [suit, rank];
  return cards.toSorted((one, other) => by[0](one) - by[0](other) || by[1](one) - by[1](other));
}

/**
 * Every card to be drawn: `{key, card, x, y, scale, z, …}`, x and y being its middle; `card` null for a back. `scene` is
 * `{spec, before, frame, last}`; `turn` the seat nearest the reader.
 */
export function layOut(measured, scene, turn) {
  const {spec, before, frame, last} = scene;
  const {state} = frame;
  const {places, center, card: full, narrow} = measured;
  const seats = places.length;
  const placeOf = (seat) => places[(seat - turn + seats) % seats];
  const drawn = [];
  const table = [];
  const put = (key, card, x, y, size, z, more = {}) => drawn.push({key, card, x, y, scale: size / 100, z, ...more});

  const shown = shownBy(spec, frame);
  const trump = spec.signs.some(({field}) => field === "trump") ? state.table.trump : null;
  state.hands.forEach((hand, seat) => {
    const place = placeOf(seat);
    const known = hand.cards ? sorted(hand.cards, spec.hand, trump) : [];
    const open = hand.cards ? [] : sorted(shown.get(seat) ?? [], spec.hand, trump).slice(0, hand.count);
    const faces = [...known, ...open];
    const rows = rowsOf(hand.count, place.room, place.size);
    const each = Math.ceil(hand.count / rows);
    const natural = place.size * (faces.length ? 0.56 : 0.3);
    for (let index = 0; index < hand.count; index++) {
      const row = Math.floor(index / each);
      const inRow = Math.min(each, hand.count - row * each);
      const step = each > 1 ? Math.min(natural, (place.room - place.size) / (each - 1)) : 0;
      const x = place.x + (index - row * each - (inRow - 1) / 2) * step;
      // next to its plate, however few rows there are left
      const y = place.line === "bottom"
        ? place.y + place.tall - place.size * RATIO / 2 - (rows - 1 - row) * place.size * 0.62
        : place.y + place.size * RATIO / 2 + row * place.size * 0.62;
      const face = faces[index] ?? null;
      put(face ? `p:${face}` : `b:${seat}:${index}`, face, x, y, place.size, 100 + index, {zone: "hand", seat});
    }
  });
  // what an event shows though no hand holds it: cards drawn for the deal
  for (const [seat, cards] of shown) {
    if (state.hands[seat].count) continue;
    const {x, y, line, tall, size} = placeOf(seat);
    const middle = line === "bottom" ? y + tall - size * RATIO / 2 : y + size * RATIO / 2;
    cards.forEach((card, index) => put(`x:${seat}:${card}`, card, x + index * size * 0.5, middle, size, 100 + index, {zone: "shown", seat}));
  }

  const lies = lying(spec, before, frame);
  const row = spec.lies.layout === "row";
  const base = center.y + (row ? full * (narrow ? 0.76 : 0.84) : 0);
  if (spec.lies.layout === "crossed") {
    const size = Math.min(full, center.tall / 2.5);
    const apart = Math.min(full * 0.8, (center.tall - size * RATIO) / 2);
    lies.plays.forEach(({seat, cards}, order) => {
      const toward = direction(placeOf(seat), center, seats);
      put(`p:${cards[0]}`, cards[0], center.x + toward.x * size * (seats > 4 ? 1.25 : 1.06), base + toward.y * apart, size, 300 + order,
        {zone: "lies", seat, won: lies.done && seat === lies.taker, dim: lies.done && seat !== lies.taker});
    });
  } else if (row) {
    const cards = lies.plays.flatMap((play) => play.cards.map((card) => ({seat: play.seat, card})));
    const step = cards.length > 1 ? Math.min(full * 0.72, (center.room - full) / (cards.length - 1)) : 0;
    cards.forEach(({seat, card}, index) => {
      const final = index === cards.length - 1;
      put(`p:${card}`, card, center.x + (index - (cards.length - 1) / 2) * step, base, full, 300 + index,
        {zone: "lies", seat, won: lies.done && final, dim: lies.done && !final});
    });
  } else {
    lies.plays.forEach(({seat, cards}, order) => {
      const under = lies.plays.length - 1 - order;
      const toward = direction(placeOf(seat), center, seats);
      const step = cards.length > 1 ? Math.min(full * 0.5, (center.room - full) / (cards.length - 1)) : 0;
      const lift = Math.min(under, 3);
      const y = base + full * 0.3 - lift * Math.min(full * 0.5, center.tall * 0.2);
      sortedPlay(cards, spec).forEach((card, index) => {
        put(`p:${card}`, card, center.x + toward.x * full * 0.34 + (index - (cards.length - 1) / 2) * step, y, full,
          300 + order * 20 + index, {zone: "lies", seat, dim: under > 0, won: lies.done && under === 0});
      });
    });
  }
  lies.plays.forEach(({seat, cards}) => table.push({seat, cards}));

  // the last one, small, in the corner that is free
  const used = new Set(drawn.map(({key}) => key));
  const lastCards = lies.done || !last ? [] : last.plays.slice(-5).flatMap(({seat, cards}) => cards.map((card) => ({seat, card})));
  const small = full * (narrow ? 0.46 : 0.56);
  const corner = {x: narrow ? 8 : 16, y: measured.height - small * RATIO - (narrow ? 22 : 32)};
  const lastStep = Math.min(small * 0.5, (narrow ? measured.width * 0.2 : measured.width * 0.15) / Math.max(1, lastCards.length - 1));
  lastCards.forEach(({seat, card}, index) => {
    if (used.has(`p:${card}`)) return;
    put(`p:${card}`, card, corner.x + small / 2 + index * lastStep, corner.y + small * RATIO / 2, small, 20 + index, {zone: "last", seat});
  });

  const piles = [];
  const heap = full * (row ? 0.86 : 0.7);
  const filled = spec.piles.map((pile) => ({...pile, value: state.table[pile.field]})).filter(({value}) => value !== null && value !== undefined);
  filled.forEach((pile, index) => {
    const cards = Array.isArray(pile.value) ? pile.value : pile.value.cards ?? (pile.value.count === undefined ? [pile.value] : []);
    const count = pile.value.count ?? cards.length;
    if (!count) return;
    const x = row ? center.x + (index - (filled.length - 1) / 2) * heap * 1.9 : center.x - Math.min(center.room / 2 - heap * 0.4, full * 2.5);
    const y = row ? center.y - full * (narrow ? 0.55 : 0.6) : center.y;
    const spread = pile.other_pack ? cards : [cards.at(-1)];
    if (pile.down) {
      for (let layer = 0; layer < Math.min(3, Math.ceil(count / 8)); layer++) put(`d:${pile.field}:${layer}`, null, x + layer * 2, y - layer * 2, heap, layer, {zone: "pile"});
    } else if (count) {
      spread.forEach((card, layer) => put(`t:${pile.field}:${card}`, card, x + layer * heap * 0.4, y, heap, 10 + layer, {zone: "pile"}));
    }
    piles.push({label: pile.label, count: pile.other_pack ? null : count, cards, x, y: y - heap * RATIO / 2 - 20});
  });

  return {drawn, lies, piles, corner: lastCards.length ? {...corner, taker: last.taker, cards: lastCards, y: corner.y + small * RATIO} : null, center};
}

const sortedPlay = (cards, spec) => sorted(cards, spec.hand, null).reverse();

function direction(place, center, seats) {
  // before each seat: by the way from the middle to it, not by the way its hand has been put on a narrow felt
  const angle = Math.PI / 2 + 2 * Math.PI * place.turn / seats;
  return {x: Math.cos(angle), y: Math.sin(angle)};
}

/** The cards that the event shows for its moment only, by seat. */
function shownBy(spec, {event, effects}) {
  const shown = new Map();
  for (const {event: type, effect: kind, field} of spec.shows) {
    if (type && event?.type === type) event[field].forEach((card, seat) => shown.set(seat, [card]));
    for (const effect of effects) if (kind && effect.type === kind) shown.set(effect.seat, effect[field]);
  }
  return shown;
}
