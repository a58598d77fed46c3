// The page without a game: open a record file, or find one of the caller's games.

import {Api} from "./api.js";
import {el, fill, list, moment} from "./words.js";

export class StartPage extends HTMLElement {
  connectedCallback() {
    const file = el("input", {type: "file", id: "file", class: "heard", accept: ".json,application/json", on: {change: () => this.read(file.files[0])}});
    this.said = el("p", {class: "alert", role: "alert"});
    const drop = el("div", {class: "drop"}, el("p", {}, "Drop a record file here, or"), file, el("label", {htmlFor: "file", class: "button main"}, "choose a file"),
      el("p", {class: "quiet"}, "It is replayed and audited, and stored nowhere."));
    for (const type of ["dragover", "dragleave", "drop"]) {
      drop.addEventListener(type, (event) => {
        event.preventDefault();
        drop.classList.toggle("over", type === "dragover");
        if (type === "drop") this.read(event.dataTransfer.files[0]);
      });
    }
    this.key = el("input", {id: "key", type: "password", autocomplete: "off", placeholder: "tlk_…", value: this.token ?? ""});
    this.games = el("ul", {class: "games"});
    this.shown = el("section", {class: "shown", hidden: true});
    this.filters = {
      player: el("input", {id: "player", maxLength: 80, placeholder: "exact name"}),
      ruleset: el("select", {id: "ruleset"}, el("option", {value: ""}, "any game")),
      status: el("select", {id: "status"}, ...["", "running", "finished", "abandoned"].map((value) => el("option", {value}, value || "any"))),
    };
    this.more = el("button", {hidden: true, on: {click: () => this.find(this.next)}}, "More games");
    const search = el("form", {class: "search", on: {submit: (event) => { event.preventDefault(); this.find(); }}},
      el("label", {htmlFor: "key"}, "API key"), this.key,
      el("label", {htmlFor: "player"}, "Player"), this.filters.player,
      el("label", {htmlFor: "ruleset"}, "Game"), this.filters.ruleset,
      el("label", {htmlFor: "status"}, "Status"), this.filters.status,
      el("button", {class: "main"}, "Find games"));
    fill(this,
      el("h1", {}, "Replay a game"),
      el("p", {class: "lead"}, "Step through it, see why each point was given, and check that nothing was changed."),
      this.said, this.shown,
      el("div", {class: "ways-in"},
        el("section", {}, el("h2", {}, "From a record"), drop),
        el("section", {}, el("h2", {}, "Your games"), el("p", {class: "quiet"}, "The key stays on this page."), search, this.games, this.more)),
    );
    this.api = new Api();
    this.api.get("/v1/rulesets").then(({rulesets}) => {
      this.titles = new Map(rulesets.map(({id, title}) => [id, title]));
      this.filters.ruleset.append(...rulesets.map(({id, title}) => el("option", {value: id}, title)));
      if (this.token) this.find();
      return this.api.get("/v1/demonstrations");
    }).then(({games}) => {
      this.shown.hidden = !games.length;
      fill(this.shown, el("h2", {}, "To look at"), el("ul", {class: "games row"}, ...games.map(({id, ruleset}) =>
        el("li", {}, el("a", {class: "button", href: `/replay/${id}`}, this.titles.get(ruleset))))));
    }).catch((error) => this.complain(error));
  }

  complain(error) {
    this.said.textContent = error.message;
  }

  async read(file) {
    if (!file) return;
    this.said.textContent = "";
    let record;
    try {
      record = JSON.parse(await file.text());
    } catch {
      this.said.textContent = "This file is no JSON, so it is no record.";
      return;
    }
    this.dispatchEvent(new CustomEvent("record", {detail: record, bubbles: true}));
  }

  async find(cursor) {
    this.said.textContent = "";
    const api = new Api(this.key.value.trim() || null);
    const query = Object.fromEntries(Object.entries(this.filters).map(([name, field]) => [name, field.value.trim()]));
    try {
      const {games, next} = await api.get("/v1/games", {...query, limit: 50, cursor});
      if (!cursor) fill(this.games);
      this.games.append(...games.map((game) => el("li", {}, el("a", {href: `/replay/${game.id}`, on: {click: (click) => {
        if (click.ctrlKey || click.metaKey) return;
        click.preventDefault();
        this.dispatchEvent(new CustomEvent("open-game", {detail: {id: game.id, api}, bubbles: true}));
      }}},
      el("strong", {}, this.titles?.get(game.ruleset) ?? game.ruleset), el("span", {}, list(game.players)),
      el("span", {class: "quiet"}, `${game.status}, ${game.seq} events, ${moment(game.updated_at)}`)))));
      this.next = next;
      this.more.hidden = !next;
      if (!this.games.children.length) this.said.textContent = "No game is like that.";
    } catch (error) {
      this.complain(error);
    }
  }
}

customElements.define("start-page", StartPage);
