// A game as it is told: its frames, fetched in pages and kept by view, and what follows from their order
// (rounds, tricks, score lines).

const PAGE = 1000;

/** A game that the service keeps. */
export class StoredGame {
  constructor(api, id) {
    this.api = api;
    this.path = `/v1/games/${id}`;
  }

  async open() {
    this.game = await this.api.get(this.path);
    this.ruleset = await this.api.get(`/v1/rulesets/${this.game.ruleset}`);
    return this;
  }

  async refresh() {
    this.game = await this.api.get(this.path);
  }

  /** The views that the caller may take, the default first. */
  get views() {
    const seats = this.game.players.map((_, seat) => String(seat));
    if (this.game.status !== "running") return ["table", "public", ...seats];
    if (this.api.owner) return ["public", "table", ...seats];
    return this.api.seat === null ? ["public"] : [String(this.api.seat), "public"];
  }

  async page(view, from) {
    return (await this.api.get(`${this.path}/replay`, {view, from, to: Math.min(from + PAGE - 1, this.game.seq)})).frames;
  }

  record() {
    return this.api.get(`${this.path}/record`);
  }

  async transcript() {
    return (await this.api.ask(`${this.path}/record`, {accept: "text/plain"})).text();
  }

  audit() {
    return this.api.get(`${this.path}/audit`);
  }

  async disputes() {
    return (await this.api.get(`${this.path}/disputes`)).disputes;
  }
}

/** A game from a record that is nowhere stored: each page is asked for with the record itself. */
export class PostedGame {
  constructor(api, record) {
    this.api = api;
    this.given = record;
    this.first = new Map();
  }

  async open() {
    const answer = await this.ask("table", 1);
    this.game = answer.game;
    this.audited = answer.audit;
    this.ruleset = await this.api.get(`/v1/rulesets/${this.game.ruleset}`);
    this.first.set("table 1", answer.frames);
    return this;
  }

  ask(view, from) {
    return this.api.post(`/v1/replays?view=${view}&from=${from}`, {record: this.given});
  }

  get views() {
    return ["table", "public", ...this.game.players.map((_, seat) => String(seat))];
  }

  async page(view, from) {
    const key = `${view} ${from}`;
    const known = this.first.get(key);
    this.first.delete(key);
    return known ?? (await this.ask(view, from)).frames;
  }

  async record() {
    return this.given;
  }

  async audit() {
    return this.audited;
  }
}

/** The frames of a game in one view, from 0 (before the first event) on, as far as they have been fetched. */
export class Story {
  constructor(source, view) {
    this.source = source;
    this.view = view;
    this.spec = source.ruleset.table;
    const {players, scores} = source.game;
    this.frames = [{
      event: null,
      effects: [],
      text: ["Before the first event."],
      state: {
        seq: 0, round: 1, phase: "", dealer: null, to_act: [], hands: players.map(() => ({count: 0})),
        scores: scores.map(() => 0), winners: [], table: {},
      },
    }];
    this.rounds = [];
    this.parts = [];
    this.ends = [];
    this.sheets = [{seq: 0, lines: []}];
    this.retracted = new Map();
    this.told = 0;
    this.largest = 0;
    this.fetching = new Map();
  }

  get last() {
    return this.source.game.seq;
  }

  at(seq) {
    return this.frames[seq];
  }

  /** Fetches what is needed to show the moment `seq`: its frame and the one before. */
  async need(seq) {
    await Promise.all([seq - 1, seq].filter((each) => each > 0 && !this.frames[each]).map((each) => this.fetch(each)));
  }

  /** Fetches all the rest, page by page, calling `more` after each. */
  async rest(more, signal) {
    for (let seq = 1; seq <= this.last && !signal.aborted; seq++) {
      if (this.frames[seq]) continue;
      await this.fetch(seq);
      if (!signal.aborted) more();
    }
  }

  fetch(seq) {
    // pages start at fixed places, but for what a running game has added to the last one
    let from = seq - (seq - 1) % PAGE;
    while (this.frames[from]) from++;
    if (!this.fetching.has(from)) {
      const done = this.source.page(this.view, from).then((frames) => {
        frames.forEach((frame) => { this.frames[frame.state.seq] = frame; });
        if (!frames.length) throw new Error("The record ends before this event.");
        this.tell();
      }).finally(() => this.fetching.delete(from));
      this.fetching.set(from, done);
    }
    return this.fetching.get(from);
  }

  /** Goes on, event by event, with what follows from their order. */
  tell() {
    for (let seq = this.told + 1; this.frames[seq]; seq++) {
      const frame = this.frames[seq];
      const round = this.frames[seq - 1].state.round;
      frame.round = round;
      if (this.rounds.at(-1)?.round !== round) this.rounds.push({round, first: seq});
      this.rounds.at(-1).last = seq;
      const {taken} = this.spec.lies;
      if (frame.effects.some(({type}) => taken.includes(type))) this.parts.push(seq);
      if (lying(this.spec, this.frames[seq - 1], frame).done) this.ends.push(seq);
      this.score(seq, frame);
      this.largest = Math.max(this.largest, ...frame.state.hands.map((hand) => hand.count));
      this.told = seq;
    }
  }

  score(seq, {event, effects}) {
    let lines = this.sheets.at(-1).lines;
    const before = lines;
    for (const effect of effects) {
      if (effect.type === "retracted") {
        lines = this.sheetAt(event.to);
        effect.events.forEach((gone) => this.retracted.set(gone, seq));
      } else if (effect.type === "round-scored") {
        // every line of the round, those that earlier events told too
        lines = [...lines.filter((line) => line.round !== effect.round), ...effect.lines];
      } else if (effect.lines) {
        lines = [...lines, ...effect.lines];
      }
    }
    if (lines !== before) this.sheets.push({seq, lines});
  }

  /** The score lines at the moment `seq`; null while the events before it have not all been fetched. */
  sheetAt(seq) {
    if (seq > this.told) return null;
    return this.sheets[find(this.sheets, (sheet) => sheet.seq <= seq)].lines;
  }

  /** The last trick or hand of the round that ended before the moment `seq`: what lay, and who took it; null for none. */
  lastBefore(seq) {
    const end = this.ends[find(this.ends, (each) => each < seq)];
    const start = this.rounds[find(this.rounds, ({first}) => first <= seq)]?.first;
    return end === undefined || end < start ? null : lying(this.spec, this.frames[end - 1], this.frames[end]);
  }

  /** Where a step by trick or hand leads to. */
  part(seq, forward) {
    if (forward) return this.parts[find(this.parts, (each) => each <= seq) + 1] ?? this.last;
    return this.parts[find(this.parts, (each) => each < seq)] ?? 0;
  }

  /** Where a step by round leads to. */
  round(seq, forward) {
    if (forward) return this.rounds[find(this.rounds, ({first}) => first <= seq) + 1]?.first ?? this.last;
    return this.rounds[find(this.rounds, ({first}) => first < seq)]?.first ?? 0;
  }
}

/** The place of the last entry of a sorted list that `holds`; -1 for none. */
function find(entries, holds) {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (holds(entries[middle])) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const cardsOf = ({card, cards}) => cards ?? (card ? [card] : []);

/** What lies on the table at a moment: `plays` of seat and cards, and when it is taken just then, `done`, by `taker`. */
export function lying(spec, before, frame) {
  const {event: lays, field, taken} = spec.lies;
  const plays = (state) => (state.table[field] ?? []).map((play) => ({seat: play.seat, cards: cardsOf(play)}));
  const now = plays(frame.state);
  const takes = (effects) => effects.find(({type}) => taken.includes(type))?.seat ?? null;
  const {event, effects} = frame;
  if (now.length || !event || effects.some(({type}) => type === "retracted")) {
    return {plays: now, done: false, taker: now.length ? takes(effects) : null};
  }
  const lay = before ? plays(before.state) : [];
  if (event.type === lays) lay.push({seat: event.seat, cards: cardsOf(event)});
  return {plays: lay, done: lay.length > 0, taker: takes(effects) ?? (before ? takes(before.effects) : null)};
}
