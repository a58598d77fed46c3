const id = location.pathname.split("/")[2];
const main = document.querySelector("main");

async function ask(path) {
  const answer = await fetch(path);
  const content = await answer.json();
  if (!answer.ok) throw new Error(content.detail);
  return content;
}

function add(kind, text) {
  const element = document.createElement(kind);
  element.textContent = text;
  main.append(element);
}

if (id) {
  try {
    const game = await ask(`/v1/games/${id}`);
    add("h1", game.ruleset);
    add("p", game.players.join(", "));
    const { frames } = await ask(`/v1/games/${id}/replay`);
    for (const { event } of frames) add("p", `${event.seq} ${event.type}`);
  } catch (error) {
    add("p", error.message);
  }
}
