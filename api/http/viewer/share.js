// Links to what is seen, and the record to take away.

import {el, fill} from "./words.js";

export class SharePanel extends HTMLElement {
  set game({source, address}) {
    this.source = source;
    this.address = address;
    if (this.link) return;
    const {api} = source;
    this.said = el("p", {class: "quiet", role: "status"});
    if (source.path) {
      this.link = el("input", {id: "link", readOnly: true});
      this.frame = el("textarea", {id: "frame", rows: 3, readOnly: true});
      this.with = api.token ? el("input", {type: "checkbox", id: "with-token", on: {change: () => this.show()}}) : null;
      fill(this,
        el("h2", {}, "Share"),
        el("label", {htmlFor: "link"}, "Link to this moment, in this view"), this.link,
        this.with ? el("p", {class: "check"}, this.with, el("label", {htmlFor: "with-token"}, "with the token, which lets whoever has the link see and play what you can")) : null,
        el("button", {on: {click: () => this.copy(this.link)}}, "Copy the link"),
        el("label", {htmlFor: "frame"}, "To put it into another page"), this.frame,
        el("button", {on: {click: () => this.copy(this.frame)}}, "Copy the iframe"),
      );
    } else {
      this.link = el("span");
      fill(this, el("h2", {}, "Share"), el("p", {}, "This record is stored nowhere: share the file itself."));
    }
    this.append(
      el("h2", {}, "Take away"),
      el("p", {class: "row"},
        el("button", {on: {click: () => this.save("json", async () => JSON.stringify(await source.record(), null, 1))}}, "Download the record"),
        source.transcript && el("button", {on: {click: () => this.save("txt", () => source.transcript())}}, "Download the transcript")),
      this.said);
    this.show();
  }

  /** Writes the links anew, after the address has changed. */
  show() {
    if (!this.frame) return;
    const address = this.address(this.with?.checked);
    this.link.value = address;
    const title = `${this.source.ruleset.title}: ${this.source.game.players.join(", ")}`;
    const quoted = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
    this.frame.value = `<iframe src="${quoted(address)}" title="${quoted(title)}" width="960" height="640" loading="lazy"></iframe>`;
  }

  async copy(field) {
    try {
      await navigator.clipboard.writeText(field.value);
      this.said.textContent = "Copied.";
    } catch {
      field.select();
      this.said.textContent = "Selected: copy it with your keyboard.";
    }
  }

  async save(suffix, read) {
    try {
      const address = URL.createObjectURL(new Blob([await read()]));
      el("a", {href: address, download: `tricklog-${this.source.game.id ?? "record"}.${suffix}`}).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      this.said.textContent = "Downloaded.";
    } catch (error) {
      this.said.textContent = error.message;
    }
  }
}

customElements.define("share-panel", SharePanel);
