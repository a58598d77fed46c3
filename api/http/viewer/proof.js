// The proof beside the table: what the page was given, checked in this browser, in words.

import {Problem} from "./api.js";
import {goTo} from "./panels.js";
import {count, el, fill} from "./words.js";
import {canCheckReceipts, canonical, checkDeals, checkReceipt, commitmentOf, digestOf, headsOf} from "./verify.js";

const PROVES = {
  digests: "Each event is bound by its digest: with the salt and the event that the record names, the same digest comes out.",
  head: "The digests, one after the other, lead to the record's head. Whoever holds a receipt for that head, or for an earlier one, can tell that nothing before it has been changed.",
  given: "The players and the events that this page shows are those of the record, digest for digest.",
  receipts: "The service signed the head at the event that each of them names and can't deny it: up to there, the record is the one that they were given for.",
  commitment: "The seed is the one that this commitment was made for. It was chosen before the first deal, if this is what you were told when the game was made, or if a receipt holds, which binds the commitment too:",
  deals: "Every deal follows from that seed, and from the players' own seeds where there are any. Nobody chose the cards after the commitment.",
};

const NOT = [
  "Without a receipt that somebody kept, the service could have written a whole other record, whose digests open as well.",
  "It does not say who sat at a seat.",
  "A service and the last player to send a seed could, together, have tried seeds until they liked the cards.",
  "Whether each move followed the rules, and the score from the moves, is the service's audit to say; the rules and the record are open, so that anyone can audit it with other programs.",
];

export class ProofPanel extends HTMLElement {
  set game({source, story}) {
    this.source = source;
    this.story = story;
    if (this.results) return;
    this.results = el("ol", {class: "checks", aria: {live: "polite"}});
    this.receipts = el("textarea", {id: "receipts", rows: 3, spellcheck: false, placeholder: "One receipt a line"});
    this.button = el("button", {class: "main", on: {click: () => this.verify()}}, "Verify in this browser");
    this.audited = el("div", {class: "audit"});
    fill(this,
      el("h2", {}, "Proof"),
      el("p", {}, "Your browser computes every digest itself, the head that they lead to, and, once the seed is public, every deal."),
      el("label", {htmlFor: "receipts"}, "Receipts, if you kept some"), this.receipts,
      el("p", {class: "row"}, this.button, el("button", {on: {click: () => this.audit()}}, "Ask for the service's audit")),
      this.results, this.audited,
      el("h3", {}, "What it does not prove"), el("ul", {class: "not"}, ...NOT.map((said) => el("li", {}, said))),
    );
    if (source.audited) this.audit();
  }

  add(ok, title, detail, seq) {
    const sign = ok === null ? "—" : ok ? "✓" : "✗";
    this.results.append(el("li", {class: ok === null ? "open" : ok ? "ok" : "bad"},
      el("span", {class: "sign-of", aria: {label: ok === null ? "not checked" : ok ? "holds" : "fails"}, role: "img"}, sign),
      el("div", {}, el("strong", {}, title), el("p", {}, detail, seq ? [" ", el("a", {href: `#at=${seq}`, data: {go: seq}, on: {click: (click) => { click.preventDefault(); goTo(this, seq); }}}, `Go to event ${seq}`)] : null))));
  }

  async verify() {
    fill(this.results);
    if (!globalThis.crypto?.subtle) {
      this.add(null, "Not here", "This browser computes digests only on pages that come over HTTPS or from this machine.");
      return;
    }
    this.button.disabled = true;
    try {
      await this.check();
    } catch (error) {
      this.add(null, "Not finished", error.message);
    } finally {
      this.button.disabled = false;
    }
  }

  async check() {
    const {source, story} = this;
    let record;
    try {
      record = await source.record();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.add(null, "The record is not public yet", "Until the game is over its record is its owner's, and hidden events can't be opened. What can be checked now is the chain of digests, against receipts.");
    }
    await story.rest(() => {}, new AbortController().signal);
    const frames = story.frames.slice(1);
    const given = frames.map(({event}) => event.digest);
    let facts = record;
    let digests = given;
    if (record) {
      digests = await this.checkEvents(record, frames);
    } else {
      const {game} = source;
      facts = {format: "tricklog/1", ...game, game: game.id};
    }
    if (digests.some((digest) => !digest)) {
      this.add(null, "No chain", "The record brings no digests, so nothing binds its events.");
    } else {
      const heads = await headsOf(facts, digests);
      if (record?.head) this.add(heads.at(-1) === record.head, "The head", heads.at(-1) === record.head ? PROVES.head : "The digests do not lead to the head that the record names.");
      await this.checkReceipts(facts, heads);
    }
    if (record) await this.checkSeed(record);
    else this.add(null, "The deals", "The seed is published when the game is over; then every deal can be dealt again.");
  }

  /** Opens every digest of the record; the digests. */
  async checkEvents(record, frames) {
    const {events} = record;
    const digests = events.map(({digest}) => digest);
    const salted = events.length > 0 && events.every(({salt, digest}) => salt && digest);
    if (salted) {
      const opened = await Promise.all(events.map((event, index) => digestOf(event, index + 1)));
      const bad = opened.findIndex((digest, index) => digest !== digests[index]);
      this.add(bad < 0, count(events.length, "digest"), bad < 0 ? PROVES.digests : `The digest of event ${bad + 1} is not that of its event.`, bad + 1);
    } else {
      this.add(null, "The digests", "The record has no salts: they are published when the game is over, and a record written by hand has none.");
    }
    const shown = ({effects, redacted, seq, digest, salt, ...event}) => canonical(event);
    const strange = frames.findIndex(({event}, index) => event.digest !== digests[index]
      || (!event.redacted && shown(event) !== shown(events[index])));
    const {ruleset, players} = this.source.game;
    const same = strange < 0 && frames.length === events.length && canonical([ruleset, players]) === canonical([record.ruleset, record.players]);
    this.add(same, "What this page shows",
      same ? PROVES.given : "What was shown here is not what stands in the record.", strange + 1);
    return digests;
  }

  async checkReceipts(record, heads) {
    const receipts = this.receipts.value.split(/\s+/).filter(Boolean);
    if (!receipts.length) {
      this.add(null, "No receipts", "Each accepted move is answered with a receipt. Hand in those that you kept: without one, the record is as good as its service's word.");
      return;
    }
    if (!await canCheckReceipts()) {
      this.add(null, "Receipts", "This browser can't check Ed25519 signatures. Take a newer one, or tricklog verify on the command line.");
      return;
    }
    const jwks = await this.source.api.get("/.well-known/jwks.json");
    const wrong = await Promise.all(receipts.map((receipt) => checkReceipt(receipt, jwks, record, heads)));
    const bad = wrong.findIndex(Boolean);
    this.add(bad < 0, count(receipts.length, "receipt"), bad < 0 ? PROVES.receipts : `Receipt ${bad + 1}: ${wrong[bad]}`);
  }

  async checkSeed(record) {
    if (record.dealer !== "service") {
      this.add(null, "The deals", "The cards were dealt by the owner's front end, so there is no seed to deal them from again.");
    } else if (!record.seed) {
      this.add(null, "The deals", "The seed is published when the game is over; then every deal can be dealt again.");
    } else {
      const committed = await commitmentOf(record.seed) === record.commitment;
      this.add(committed, "The commitment", committed ? `${PROVES.commitment} ${record.commitment}` : "The seed is not the one that was committed to.");
      const {deals, bad} = await checkDeals(this.source.ruleset.table, record);
      this.add(bad === null, count(deals, "deal"), bad === null ? PROVES.deals : `Event ${bad} is not what the seeds deal.`, bad);
    }
  }

  async audit() {
    let audit;
    try {
      audit = await this.source.audit();
    } catch (error) {
      fill(this.audited, el("p", {role: "alert"}, error.message));
      return;
    }
    fill(this.audited,
      el("h3", {}, audit.ok ? "The service's audit: everything holds" : "The service's audit: something does not hold"),
      el("ol", {class: "checks"}, ...audit.checks.map(({check, ok, detail, event}) => el("li", {class: ok ? "ok" : "bad"},
        el("span", {class: "sign-of", role: "img", aria: {label: ok ? "holds" : "fails"}}, ok ? "✓" : "✗"),
        el("div", {}, el("strong", {}, check), el("p", {}, detail, event ? ` (event ${event})` : ""))))));
  }
}

customElements.define("proof-panel", ProofPanel);
