// The page: what is seen (game, moment, view), the ways through it, and its address.

import {Api, Problem} from "./api.js";
import "./panels.js";
import "./proof.js";
import "./share.js";
import "./start.js";
import {PostedGame, StoredGame, Story} from "./story.js";
import "./table.js";
import {brief, el, fill, icon, list, sideNames} from "./words.js";

const SPEEDS = [0.5, 1, 2, 4, 8];
const ICONS = {
  first: "M6 5h2.500v14H6zM19 5v14l-9-7z",
  back: "M17 5v14L6 12z",
  part: "M12 5v14l-8-7zM20.500 5v14l-8-7z",
  play: "M7 4.500v15l12-7.500z",
  pause: "M6.500 5h4v14h-4zM13.500 5h4v14h-4z",
  turn: "M12 4a8 8 0 1 1-7.700 5.800l2 .6A6 6 0 1 0 12 6v3L7.500 5 12 1z",
  keys: "M11 17h2v2h-2zM12 4a5 5 0 0 1 5 5c0 3-4 3.500-4 6h-2c0-4 4-4.500 4-6a3 3 0 0 0-6 0H7a5 5 0 0 1 5-5z",
};
const KEYS = [
  [["←", "k"], "an event back"], [["→", "j"], "an event on"], [["["], "a trick or hand back"], [["]"], "a trick or hand on"],
  [["{"], "a round back"], [["}"], "a round on"], [["Home"], "to the beginning"], [["End"], "to the end"],
  [["space"], "play, pause"], [["f"], "turn the table"], [["1", "–", "6"], "a seat's view"], [["0"], "the widest view"], [["?"], "these keys"],
];
const REST = 140;
const CATCH_UP = 12;

class ReplayViewer extends HTMLElement {
  connectedCallback() {
    this.given = this.arrived();
    this.sprite().then(() => this.open(), (error) => this.fail(error));
    addEventListener("hashchange", () => this.onAddress());
    addEventListener("keydown", (press) => this.onKey(press));
    this.addEventListener("go", ({detail}) => this.go(detail));
    this.addEventListener("record", ({detail}) => this.begin(new PostedGame(new Api(), detail)));
    this.addEventListener("open-game", ({detail: {id, api}}) => {
      history.pushState(null, "", `/replay/${id}`);
      this.given = {};
      this.begin(new StoredGame(api, id));
    });
    this.page = location.pathname;
    addEventListener("popstate", () => { if (location.pathname !== this.page) location.reload(); });
  }

  /** What the address asks for, whose token is taken out of it at once; this tab keeps it, so that the page may be loaded again. */
  arrived() {
    const {token, ...given} = fragment();
    const kept = `token ${location.pathname}`;
    if (token) {
      store("sessionStorage", kept, token);
      const rest = new URLSearchParams(location.hash.slice(1));
      rest.delete("token");
      history.replaceState(history.state, "", `${location.pathname}#${rest}`);
    }
    return {...given, token: token ?? stored("sessionStorage", kept)};
  }

  async sprite() {
    const answer = await fetch(new URL("cards.svg", import.meta.url));
    const sprite = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
    sprite.setAttribute("class", "sprite");
    sprite.setAttribute("aria-hidden", "true");
    document.body.prepend(document.adoptNode(sprite));
  }

  open() {
    const [, , id] = location.pathname.split("/");
    if (id) return this.begin(new StoredGame(new Api(this.given.token), id));
    const start = el("start-page");
    start.token = this.given.token;
    document.title = "Replay a game · Tricklog";
    fill(this, this.head("Replay"), el("main", {class: "start"}, start));
  }

  head(...title) {
    return el("header", {class: "top"}, el("a", {class: "brand", href: "/replay"}, "Tricklog"), ...title);
  }

  fail(error) {
    const hidden = error instanceof Problem && [401, 404].includes(error.status);
    const token = el("input", {id: "token", type: "password", autocomplete: "off"});
    fill(this, this.head(), el("main", {class: "start"},
      el("h1", {}, hidden ? "There is no such game to be seen" : "This can't be shown"),
      el("p", {class: "alert", role: "alert"}, error.message),
      hidden ? el("form", {class: "search", on: {submit: (event) => {
        event.preventDefault();
        this.begin(new StoredGame(new Api(token.value.trim()), location.pathname.split("/")[2]));
      }}}, el("label", {htmlFor: "token"}, "It may be private. With a key or a seat's token:"), token, el("button", {class: "main"}, "Open")) : null,
      el("p", {}, el("a", {href: "/replay"}, "Open a record, or find a game"))));
  }

  async begin(source) {
    this.stop();
    try {
      await source.open();
      this.source = source;
      this.page = location.pathname;
      this.stories = new Map();
      this.turn = Math.max(source.api.seat ?? 0, 0);
      this.build();
      await this.take(this.given.view ?? source.views[0], this.given.at ?? (source.game.status === "running" ? source.game.seq : 0));
      this.watch();
      if (source.path) this.sheet.held = await source.disputes().catch(() => []);
    } catch (error) {
      if (error.name !== "AbortError") this.fail(error);
    }
  }

  // --- what the page is made of ---------------------------------------------------------------------------------------

  build() {
    const {game, ruleset} = this.source;
    const sides = sideNames(game.players, ruleset.sides);
    const info = {game, ruleset, sides};
    document.title = `${ruleset.title}: ${game.players.join(", ")} · Tricklog`;
    const button = (kind, label, act, more = {}) => el("button", {type: "button", class: `way ${more.class ?? ""}`, title: label, aria: {label}, on: {click: act}}, icon(ICONS[kind]));
    this.table = el("card-table");
    this.caption = el("p", {class: "caption"});
    this.heard = el("p", {class: "heard", aria: {live: "polite", atomic: "true"}});
    this.slider = el("input", {type: "range", min: 0, max: game.seq, step: 1, value: 0, class: "slider", aria: {label: "Moment of the game"}, on: {input: () => this.go(Number(this.slider.value), {still: true})}});
    this.marks = el("div", {class: "rounds", aria: {hidden: "true"}});
    this.where = el("span", {class: "where"});
    this.playing = button("play", "Play", () => this.play(!this.timer), {class: "play"});
    this.speed = el("select", {class: "speed", aria: {label: "Speed"}}, ...SPEEDS.map((speed) => el("option", {value: speed, selected: speed === 1}, `${speed}×`)));
    this.viewer = el("select", {aria: {label: "View"}, on: {change: () => this.take(this.viewer.value, this.at)}});
    this.four = el("button", {type: "button", class: "suits", aria: {pressed: "false", label: "Four colours of suits"}, title: "Four colours of suits", on: {click: () => this.colour(!this.classList.contains("four"))}}, "♣♦♥♠");
    this.more = el("button", {type: "button", class: "more", hidden: true, on: {click: () => this.go(this.story.last)}});
    this.status = el("span", {class: "status"});
    this.log = el("game-log");
    this.sheet = el("score-sheet");
    this.proof = el("proof-panel");
    this.share = el("share-panel");
    const keys = this.keys = el("dialog", {class: "keys", aria: {label: "Keys"}},
      el("h2", {}, "Keys"),
      el("dl", {}, ...KEYS.map(([names, does]) => el("div", {}, el("dt", {}, ...names.map((name) => name === "–" ? "–" : el("kbd", {}, name))), el("dd", {}, does)))),
      el("form", {method: "dialog"}, el("button", {class: "main"}, "Close")));
    const tabs = {log: ["Log", this.log], score: ["Score", this.sheet], proof: ["Proof", this.proof], share: ["Share", this.share]};
    this.tabs = Object.entries(tabs).map(([name, [title, panel]], index) => ({
      name,
      tab: el("button", {type: "button", role: "tab", id: `tab-${name}`, aria: {controls: `panel-${name}`, selected: String(!index)}, tabIndex: index ? -1 : 0, on: {click: () => this.show(name)}}, title),
      panel: el("div", {role: "tabpanel", id: `panel-${name}`, class: "panel", aria: {labelledby: `tab-${name}`}, hidden: index > 0, tabIndex: 0}, panel),
    }));
    const strip = el("div", {role: "tablist", class: "tabs", aria: {label: "Beside the table"}, on: {keydown: (press) => this.onTabKey(press)}}, ...this.tabs.map(({tab}) => tab));
    fill(this,
      this.head(el("div", {class: "title"}, el("h1", {}, ruleset.title), el("p", {}, list(game.players))), this.status),
      el("main", {class: "game"},
        el("section", {class: "stage", aria: {label: "Table"}},
          this.table, this.more,
          el("div", {class: "controls"},
            this.caption, this.heard,
            el("div", {class: "rail"}, el("div", {class: "track"}, this.slider, this.marks), this.where),
            el("div", {class: "ways"},
              el("div", {class: "steps", role: "group", aria: {label: "Steps"}},
                button("first", "To the beginning", () => this.go(0)),
                button("part", "A trick or hand back", () => this.go(this.story.part(this.at, false))),
                button("back", "An event back", () => this.go(this.at - 1)),
                this.playing,
                button("back", "An event on", () => this.go(this.at + 1), {class: "mirrored"}),
                button("part", "A trick or hand on", () => this.go(this.story.part(this.at, true)), {class: "mirrored"}),
                button("first", "To the end", () => this.go(this.story.last), {class: "mirrored"})),
              el("div", {class: "looks", role: "group", aria: {label: "Looks"}}, this.speed, this.viewer, this.four,
                button("turn", "Turn the table", () => this.turnTable()), button("keys", "Keys", () => keys.showModal(), {class: "for-keys"}))))),
        el("aside", {class: "side", aria: {label: "Log, score, proof, share"}}, strip, ...this.tabs.map(({panel}) => panel))),
      keys);
    this.table.game = info;
    this.sheet.game = info;
    this.table.addEventListener("wheel", (roll) => this.onWheel(roll), {passive: false});
    this.colour(stored("localStorage", "four") === "yes");
    this.speed.value = stored("localStorage", "speed") ?? "1";
    this.speed.addEventListener("change", () => { store("localStorage", "speed", this.speed.value); if (this.timer) this.play(true); });
    this.listViews();
    this.showStatus();
  }

  listViews() {
    const {players} = this.source.game;
    const names = {table: "All hands", public: "Bystander"};
    const seats = players.map((_, seat) => String(seat));
    const allowed = this.source.views;
    fill(this.viewer, ...["table", "public", ...seats].filter((view) => allowed.includes(view)).map((view) =>
      el("option", {value: view, selected: view === this.story?.view}, names[view] ?? players[view])));
  }

  showStatus() {
    const {path, game} = this.source;
    const status = game.status === "running" && !path ? "unfinished" : game.status;
    this.status.textContent = status === "running" ? "live" : status;
    this.status.className = `status ${status}`;
  }

  show(name) {
    for (const {name: own, tab, panel} of this.tabs) {
      const here = own === name;
      tab.setAttribute("aria-selected", String(here));
      tab.tabIndex = here ? 0 : -1;
      panel.hidden = !here;
    }
    this.rest();
  }

  colour(four) {
    this.classList.toggle("four", four);
    this.four.setAttribute("aria-pressed", String(four));
    store("localStorage", "four", four ? "yes" : "no");
  }

  // --- what is seen ---------------------------------------------------------------------------------------------------

  /** Takes a view, at a moment. */
  async take(view, at) {
    const {source} = this;
    if (!source.views.includes(view)) view = source.views[0];
    this.filling?.abort();
    this.filling = new AbortController();
    let story = this.stories.get(view);
    if (!story) this.stories.set(view, story = new Story(source, view));
    at = clamp(at, 0, story.last);
    await story.need(at);
    this.story = story;
    this.viewer.value = view;
    this.viewer.disabled = source.views.length < 2;
    this.log.story = story;
    this.proof.game = {source, story};
    this.share.game = {source, address: (token) => this.address(token)};
    this.go(at, {still: true});
    // what is left comes page by page while the reader looks
    story.rest(() => this.grow(), this.filling.signal).then(() => this.grow(), (error) => { this.caption.textContent = error.message; });
  }

  /** Shows what has been fetched since. */
  grow() {
    const {story} = this;
    this.log.story = story;
    this.slider.max = story.last;
    const starts = story.rounds.slice(1).map(({first}) => first);
    while (this.marks.children.length < starts.length) this.marks.append(el("i"));
    [...this.marks.children].forEach((mark, index) => {
      mark.hidden = index >= starts.length;
      mark.style.left = `${100 * starts[index] / story.last}%`;
    });
    // the table may have to make room for larger hands
    if (this.scene && this.scene.largest !== story.largest) this.go(this.at, {still: true, playing: Boolean(this.timer)});
    this.rest();
  }

  /** Goes to a moment: at once when it is at hand. */
  go(seq, {still = false, playing = false} = {}) {
    const {story} = this;
    if (!story) return;
    seq = clamp(seq, 0, story.last);
    if (!playing) this.play(false);
    if (!story.at(seq) || (seq && !story.at(seq - 1))) {
      story.need(seq).then(() => { if (this.story === story) this.go(seq, {still: true, playing}); }, (error) => { this.caption.textContent = error.message; });
      return;
    }
    const now = performance.now();
    // a reader who hurries wants to be there, not to see how
    const hurried = still || Math.abs(seq - this.at) !== 1 || now - this.moved < 90;
    this.moved = now;
    this.at = seq;
    if (this.drawing) {
      this.hurried ||= hurried;
      return;
    }
    this.hurried = hurried;
    this.drawing = requestAnimationFrame(() => { this.drawing = null; this.draw(); });
  }

  draw() {
    const {story, at} = this;
    const frame = story.at(at);
    if (!frame) return;
    this.scene = {spec: story.spec, before: story.at(at - 1), frame, last: story.lastBefore(at), largest: story.largest || 13};
    this.table.show(this.scene, {turn: this.turn, still: this.hurried});
    this.slider.value = at;
    write(this.caption, brief(frame.text[0], this.source.game.players));
    write(this.where, `${at} / ${story.last}${frame.round ? ` · round ${frame.round}` : ""}`);
    this.log.mark(at, false);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), REST);
  }

  /** What follows a step once the reader stays: the address, the words, the score sheet. */
  rest() {
    const {story, at} = this;
    const frame = story?.at(at);
    if (!frame) return;
    this.log.mark(at, true);
    const said = frame.text.join(" ");
    write(this.caption, brief(said, this.source.game.players));
    if (this.scene) this.table.tell(this.scene);
    write(this.heard, said);
    this.slider.setAttribute("aria-valuetext", `Event ${at} of ${story.last}. ${frame.text[0]}`);
    if (!this.sheet.parentElement.hidden) this.sheet.show(story.sheetAt(at), frame.state);
    const address = this.address(false);
    if (location.href !== address) history.replaceState(history.state, "", address);
    this.share.show();
    this.more.hidden = at >= story.last || !this.source.path || this.source.game.status !== "running";
    this.more.textContent = `${story.last - at} more, live`;
  }

  /** The address of what is seen; with the token that the caller has only where that is asked for. */
  address(token) {
    const parts = new URLSearchParams({at: this.at, view: this.story.view});
    if (token && this.source.api.token) parts.set("token", this.source.api.token);
    return `${location.origin}${location.pathname}#${parts}`;
  }

  onAddress() {
    const {at, view, token} = fragment();
    if (token && token !== this.source?.api.token) {
      location.reload();
      return;
    }
    if (token) this.arrived();
    if (!this.story) return;
    if (view && view !== this.story.view && this.source.views.includes(view)) this.take(view, at ?? this.at);
    else if (at !== undefined && at !== this.at) this.go(at);
  }

  // --- ways through -----------------------------------------------------------------------------------------------------

  play(on) {
    clearInterval(this.timer);
    this.timer = null;
    if (on && this.at >= this.story.last) this.go(0, {still: true, playing: true});
    if (on) {
      this.timer = setInterval(() => {
        if (this.at >= this.story.last) this.play(false);
        else this.go(this.at + 1, {playing: true});
      }, 1000 / Number(this.speed.value));
    }
    if (!this.playing || this.playing.kept === on) return;
    this.playing.kept = on;
    fill(this.playing, icon(ICONS[on ? "pause" : "play"]));
    this.playing.setAttribute("aria-label", on ? "Pause" : "Play");
    this.playing.title = on ? "Pause" : "Play";
  }

  turnTable() {
    this.turn = (this.turn + 1) % this.source.game.players.length;
    this.table.show(this.scene, {turn: this.turn, still: false});
  }

  onKey(press) {
    const {target, key} = press;
    // brackets are typed with AltGr, or Ctrl and Alt, or Option, on many keyboards
    const written = "[]{}".includes(key);
    if (!this.story || press.metaKey || (written ? press.ctrlKey && !press.altKey : press.ctrlKey || press.altKey) || this.keys.open) return;
    if (target.matches("input:not([type=range]), textarea, select")) return;
    if (target.matches("[role=tab]") && key.startsWith("Arrow")) return;
    if (key === " " && target.closest("button, a, summary, [type=checkbox]")) return;
    const {story, at} = this;
    const acts = {
      ArrowLeft: () => this.go(at - 1), k: () => this.go(at - 1), ArrowRight: () => this.go(at + 1), j: () => this.go(at + 1),
      Home: () => this.go(0), End: () => this.go(story.last), "[": () => this.go(story.part(at, false)), "]": () => this.go(story.part(at, true)),
      "{": () => this.go(story.round(at, false)), "}": () => this.go(story.round(at, true)), " ": () => this.play(!this.timer),
      f: () => this.turnTable(), "?": () => this.keys.showModal(), 0: () => this.takeSeat("table") || this.takeSeat(this.source.views[0]),
    };
    const act = /^[1-6]$/.test(key) ? () => this.takeSeat(String(Number(key) - 1)) : acts[key];
    if (!act) return;
    press.preventDefault();
    act();
  }

  takeSeat(view) {
    if (!this.source.views.includes(view)) return false;
    this.take(view, this.at);
    return true;
  }

  onTabKey(press) {
    const step = {ArrowRight: 1, ArrowLeft: -1}[press.key];
    if (!step) return;
    const here = this.tabs.findIndex(({tab}) => tab === press.target);
    const next = this.tabs[(here + step + this.tabs.length) % this.tabs.length];
    this.show(next.name);
    next.tab.focus();
  }

  onWheel(roll) {
    if (roll.ctrlKey || !this.story) return;
    roll.preventDefault();
    this.rolled = (this.rolled ?? 0) + roll.deltaY * (roll.deltaMode ? 30 : 1);
    const steps = Math.trunc(this.rolled / 50);
    if (!steps) return;
    this.rolled -= steps * 50;
    this.go(this.at + steps);
  }

  // --- live -------------------------------------------------------------------------------------------------------------

  /** Follows a running game: whoever looks at its last event goes on with it, whoever has stepped back stays. */
  async watch() {
    const {source} = this;
    if (!source.path || source.game.status !== "running") return;
    this.watching = new AbortController();
    const {signal} = this.watching;
    let wait = 1000;
    while (!signal.aborted && source.game.status === "running") {
      try {
        await source.api.follow(source.game.id, source.game.seq, () => { wait = 1000; this.update(); }, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Problem && error.status < 500 && error.status !== 429) {
          this.status.textContent = "not live";
          this.status.title = error.message;
          return;
        }
      }
      await this.update();
      await new Promise((done) => { setTimeout(done, wait); });
      wait = Math.min(wait * 2, 30_000);
    }
  }

  /** Fetches what is new; several calls at a time come to one, and a last one after it. */
  async update() {
    this.again = true;
    if (this.updating) return;
    this.updating = true;
    try {
      while (this.again) {
        this.again = false;
        const before = this.source.game.seq;
        await this.source.refresh();
        this.table.info.game = this.sheet.info.game = this.source.game;
        const {story, at} = this;
        if (this.source.game.seq > before) await story.rest(() => {}, new AbortController().signal);
        this.listViews();
        this.showStatus();
        this.grow();
        if (at >= before && this.at === at && this.story === story) for (let seq = Math.max(at + 1, story.last - CATCH_UP); seq <= story.last; seq++) {
          this.go(seq, {playing: Boolean(this.timer)});
          if (seq < story.last) await new Promise((done) => { setTimeout(done, 250); });
          // who has stepped back meanwhile, or taken another view, stays there
          if (this.at !== seq || this.story !== story) break;
        }
      }
    } catch {
      // the stream comes again, and with it the next try
    } finally {
      this.updating = false;
    }
  }

  stop() {
    this.watching?.abort();
    this.filling?.abort();
    clearInterval(this.timer);
    this.timer = null;
    this.story = null;
  }
}

const clamp = (value, least, most) => Math.min(Math.max(value, least), most);

const write = (node, text) => { if (node.textContent !== text) node.textContent = text; };

/** What the address says after its #: moment, view and token. */
function fragment() {
  const parts = new URLSearchParams(location.hash.slice(1));
  return {
    at: /^\d{1,9}$/.test(parts.get("at")) ? Number(parts.get("at")) : undefined,
    view: parts.get("view") ?? undefined,
    token: parts.get("token") ?? undefined,
  };
}

function stored(where, name) {
  try {
    return globalThis[where].getItem(`tricklog ${name}`);
  } catch {
    return null;
  }
}

function store(where, name, value) {
  try {
    globalThis[where].setItem(`tricklog ${name}`, value);
  } catch {
    // a frame of another site may have no storage: then what was chosen lasts as long as the page
  }
}

customElements.define("replay-viewer", ReplayViewer);
