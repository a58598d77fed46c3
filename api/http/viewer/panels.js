// The log and the score sheet beside the table.

import {brief, count, el, fill, moment, named, prose} from "./words.js";

/** A click on an event anywhere: the page goes to it. */
export const goTo = (from, seq) => from.dispatchEvent(new CustomEvent("go", {detail: seq, bubbles: true}));

const eventLink = (seq, text) => el("a", {class: "event", href: `#at=${seq}`, data: {go: seq}}, text ?? `event ${seq}`);

/** Takes clicks on events inside `panel`. */
function takeClicks(panel) {
  panel.addEventListener("click", (click) => {
    const target = click.target.closest("[data-go]");
    if (!target || click.ctrlKey || click.metaKey) return;
    click.preventDefault();
    goTo(panel, Number(target.dataset.go));
  });
}

export class GameLog extends HTMLElement {
  connectedCallback() {
    if (!this.folds) takeClicks(this);
    this.folds = [];
  }

  /** Shows the log of a story as far as it has been told. */
  set story(story) {
    if (this.of !== story) {
      this.of = story;
      this.folds = [];
      this.rows = new Map();
      fill(this);
    }
    story.rounds.forEach((round, index) => {
      const fold = this.folds[index] ?? this.addFold(index);
      if (fold.last === round.last) return;
      fold.last = round.last;
      fold.first = round.first;
      fold.title.textContent = `Round ${round.round}`;
      fold.span.textContent = count(round.last - round.first + 1, "event");
      if (fold.details.open) this.addRows(fold);
    });
    if (story.retracted.size) this.strike();
  }

  addFold(index) {
    const title = el("span", {class: "round"});
    const span = el("span", {class: "span"});
    const rows = el("ol", {});
    const details = el("details", {}, el("summary", {}, title, " ", span), rows);
    const fold = {details, title, span, rows, filled: 0};
    details.addEventListener("toggle", () => { if (details.open) this.addRows(fold); });
    this.folds[index] = fold;
    this.append(details);
    return fold;
  }

  addRows(fold) {
    const added = [];
    for (let seq = Math.max(fold.first, fold.filled + 1); seq <= fold.last; seq++) added.push(this.row(seq));
    fold.filled = fold.last;
    fold.rows.append(...added);
    this.strike();
  }

  row(seq) {
    const {event, text} = this.of.at(seq);
    const [first, ...rest] = text.map((said) => brief(said, this.of.source.game.players));
    const row = el("li", {value: seq},
      el("a", {class: `event ${event.seat === undefined ? "chance" : ""}`, href: `#at=${seq}`, data: {go: seq}},
        el("span", {class: "number", aria: {hidden: "true"}}, String(seq)), el("span", {class: "said"}, first)),
      ...rest.map((said) => el("p", {class: "effect"}, said)));
    this.rows.set(seq, row);
    return row;
  }

  strike() {
    for (const [seq, by] of this.of.retracted) {
      const row = this.rows.get(seq);
      if (row && !row.classList.contains("retracted")) {
        row.classList.add("retracted");
        row.append(el("p", {class: "effect"}, `Taken back by event ${by}.`));
      }
    }
  }

  /** Marks the event of the moment, and opens its round. */
  mark(seq, scroll) {
    const index = this.of.rounds.findIndex(({first, last}) => first <= seq && seq <= last);
    const fold = this.folds[Math.max(index, 0)];
    if (!fold) return;
    if (this.open !== fold) {
      if (this.open) this.open.details.open = false;
      this.open = fold;
    }
    if (!fold.details.open && scroll) fold.details.open = true;
    if (fold.details.open && fold.filled < fold.last) this.addRows(fold);
    const row = this.rows.get(seq);
    if (this.current !== row) {
      this.current?.firstChild.removeAttribute("aria-current");
      this.current?.classList.remove("now");
      row?.classList.add("now");
      row?.firstChild.setAttribute("aria-current", "step");
      this.current = row;
    }
    if (scroll && row) {
      const box = this.parentElement;
      const inside = row.getBoundingClientRect();
      const view = box.getBoundingClientRect();
      if (inside.top < view.top + 40 || inside.bottom > view.bottom - 20) box.scrollTop += inside.top - view.top - view.height / 2;
    }
  }
}

export class ScoreSheet extends HTMLElement {
  connectedCallback() {
    if (!this.info) takeClicks(this);
  }

  set game(info) {
    this.info = info;
    this.rules = new Map(info.ruleset.rules.map(({id, text}) => [id, text]));
    this.shown = null;
    this.disputes = [];
    this.sheet = el("div", {class: "sheet"});
    this.claims = el("div", {class: "claims"});
    fill(this, this.sheet, this.claims);
  }

  /** Shows the sheet as it stood at a moment: its lines (null: not there yet) and the totals. */
  show(lines, state) {
    const key = lines ? `${lines.length} ${lines.at(-1)?.round} ${lines.at(-1)?.events} ${state.scores}` : `${state.scores}`;
    if (this.shown === key) return;
    this.shown = key;
    const {sides} = this.info;
    const heads = el("tr", {}, el("th", {scope: "col"}, "Round"), ...sides.map((name, side) =>
      el("th", {scope: "col", class: state.winners.includes(side) ? "won" : ""}, el("span", {class: "head", title: name}, name))));
    const rounds = Map.groupBy(lines ?? [], (line) => line.round);
    const open = new Set([...this.sheet.querySelectorAll("details[open]")].map(({dataset}) => dataset.key));
    const totals = el("tr", {class: "totals"}, el("th", {scope: "row"}, "Total"), ...state.scores.map((score) => el("td", {}, String(score))));
    const rows = [...rounds].map(([round, all]) => el("tr", {},
      el("th", {scope: "row"}, String(round)),
      ...sides.map((_, side) => el("td", {}, String(all.filter((line) => line.side === side).reduce((sum, line) => sum + line.points, 0))))));
    fill(this.sheet,
      el("table", {class: "points"}, el("caption", {}, "Points by round"), el("thead", {}, heads), el("tbody", {}, ...rows), el("tfoot", {}, totals)),
      lines ? null : el("p", {class: "quiet"}, "The lines come as soon as the events before have been fetched."),
      ...[...rounds].reverse().map(([round, all]) => el("section", {}, el("h3", {}, `Round ${round}`),
        ...all.map((line, index) => this.line(line, `${round}.${index}`, open)))),
    );
  }

  line(line, key, open) {
    const {sides, game} = this.info;
    const details = el("details", {class: "line", data: {key}, open: open.has(key)},
      el("summary", {},
        el("span", {class: `given ${line.points < 0 ? "less" : line.points ? "" : "none"}`}, `${line.points > 0 ? "+" : ""}${line.points}`),
        el("span", {class: "side"}, sides[line.side]),
        el("span", {class: "why"}, named(line.text, game.players, sides))));
    const unfold = () => {
      if (!details.open || details.children.length > 1) return;
      details.append(el("div", {class: "rule"},
        el("h4", {}, el("code", {}, line.rule)),
        ...prose(this.rules.get(line.rule) ?? ""),
        el("p", {class: "rests"}, "Rests on ", ...line.events.flatMap((seq, index) => [index ? ", " : "", eventLink(seq)]), ".")));
    };
    details.addEventListener("toggle", unfold);
    unfold();
    return details;
  }

  /** Shows disputes: each claim beside what the record leads to. */
  set held(disputes) {
    const {sides, game} = this.info;
    fill(this.claims, ...(disputes.length ? [el("h2", {}, "Disputes")] : []), ...disputes.map((dispute) => {
      const {claim, finding} = dispute;
      const about = claim.totals ? "The totals" : claim.round !== undefined ? `Round ${claim.round}` : `Line ${claim.line}`;
      const numbers = (value) => (Array.isArray(value) ? value : [value]).map((each) => (each === null ? "—" : String(each)));
      const claimed = numbers(claim.totals ?? claim.points);
      const derived = numbers(finding.derived);
      const columns = claimed.length === sides.length && claimed.length > 1 ? sides : [sides[claim.side ?? finding.line?.side] ?? "points"];
      return el("article", {class: `dispute ${finding.outcome}`},
        el("h3", {}, `${about}, claimed by ${dispute.seat === null ? "the owner" : game.players[dispute.seat]}`),
        el("p", {}, `“${dispute.statement}”`),
        el("table", {class: "points"}, el("caption", {}, `Claim and ledger, at event ${dispute.seq}`),
          el("thead", {}, el("tr", {}, el("td", {}), ...columns.map((name) => el("th", {scope: "col"}, name)))),
          el("tbody", {},
            el("tr", {}, el("th", {scope: "row"}, "Claim"), ...claimed.map((value) => el("td", {}, value))),
            el("tr", {}, el("th", {scope: "row"}, "Ledger"), ...derived.map((value, place) => el("td", {class: value === claimed[place] ? "" : "parts"}, value))))),
        el("p", {}, named(finding.detail, game.players, sides)),
        finding.line ? [el("p", {class: "quiet"}, `They part at this line of round ${finding.line.round}:`), this.line(finding.line, `dispute ${dispute.dispute}`, new Set())] : null,
        finding.events?.length ? el("p", {class: "rests"}, "Look at ", ...finding.events.flatMap((seq, index) => [index ? ", " : "", eventLink(seq)]), ".") : null,
        dispute.resolution ? el("p", {class: "quiet"}, `Resolved ${moment(dispute.resolution.at)}: ${dispute.resolution.resolution}`) : null);
    }));
  }
}

customElements.define("game-log", GameLog);
customElements.define("score-sheet", ScoreSheet);
