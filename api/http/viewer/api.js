// The public API, as any other front end may call it. A token goes into the Authorization header and nowhere else.

/** What the service answers where it refuses: its problem+json. */
export class Problem extends Error {
  constructor(status, content) {
    const fields = Object.entries(content.errors ?? {}).map(([field, said]) => `${field}: ${[said].flat(3).join(" ")}`);
    super([content.detail ?? content.title ?? `The service answered with ${status}.`, ...fields].join(" "));
    this.status = status;
  }
}

export class Api {
  constructor(token = null) {
    this.token = token;
  }

  /** Whether the token is an API key, which owns games; the seat that it speaks for where it is a seat's. */
  get owner() {
    return this.token?.startsWith("tlk_") ?? false;
  }

  get seat() {
    const found = this.token?.match(/^tls_\d+_(\d+)_/);
    return found ? Number(found[1]) : null;
  }

  async ask(path, {accept = "application/json", body, signal} = {}) {
    const headers = {Accept: accept};
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const answer = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
    if (!answer.ok) throw new Problem(answer.status, await answer.json().catch(() => ({})));
    return answer;
  }

  async get(path, query = {}) {
    const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "" && value !== undefined));
    return (await this.ask(search.size ? `${path}?${search}` : path)).json();
  }

  async post(path, body) {
    return (await this.ask(path, {body})).json();
  }

  /** Follows the events of a game after `after`: calls `heard` with the seq of each as it comes; resolves when the stream ends. */
  async follow(game, after, heard, signal) {
    const answer = await this.ask(`/v1/games/${game}/events?follow=true&after=${after}`, {accept: "application/x-ndjson", signal});
    if (answer.status === 204) return;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        const {seq} = line.trim() ? JSON.parse(line) : {};
        if (seq) heard(seq);
      }
    }
  }
}
