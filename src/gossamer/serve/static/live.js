// Updates the values of a crawl. Without this script, the user reloads the page.
"use strict";

(() => {
  const EVERY = 2000; // milliseconds
  const root = document.querySelector("[data-live]");
  if (!root || !window.fetch) return;
  const one = (name) => root.querySelector(`[data-${name}]`);

  function put(element, text) {
    if (element && element.textContent !== text) element.textContent = text;
  }

  function row([name, value]) {
    const made = document.createElement("tr");
    const head = document.createElement("th");
    const cell = document.createElement("td");
    const own = document.createElement("bdi");
    head.scope = "row";
    own.textContent = name;
    head.append(own);
    cell.textContent = value;
    made.append(head, cell);
    return made;
  }

  function show(view) {
    put(one("said"), view.said);
    put(one("peak"), view.peak);
    put(one("current"), view.current);
    one("line").setAttribute("d", view.line);
    for (const figure of root.querySelectorAll("[data-figure]")) {
      put(figure, view.figures[figure.dataset.figure] || "");
    }
    for (const list of root.querySelectorAll("[data-list]")) {
      const rows = view.lists[list.dataset.list] || [];
      list.hidden = !rows.length;
      list.querySelector("tbody").replaceChildren(...rows.map(row));
    }
    for (const part of root.querySelectorAll("[data-when]")) {
      const hide = !part.dataset.when.split(" ").some((state) => view.states.includes(state));
      // An element with the focus stays visible, or keyboard users would lose their position.
      if (part.hidden !== hide && !(hide && part.contains(document.activeElement))) part.hidden = hide;
    }
  }

  async function look() {
    try {
      if (!document.hidden) {
        const answer = await fetch(root.dataset.live, { cache: "no-store" });
        if (answer.status === 401) return location.reload(); // the session has ended
        if (answer.ok) show(await answer.json());
      }
    } catch {
      // The server may be unavailable for a moment; the values stay as they are.
    }
    setTimeout(look, EVERY);
  }

  setTimeout(look, EVERY);
})();
