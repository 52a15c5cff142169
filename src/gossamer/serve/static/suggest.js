// Suggestions during typing: a combobox (WAI-ARIA) whose list can be used with the keyboard.
// This script is optional: without it or without suggestions, the search box is a plain input.
"use strict";

(() => {
  const WAIT = 90; // milliseconds without a key before the request is sent
  const form = document.querySelector("form[data-suggest]");
  if (!form || !window.fetch || !window.AbortController) return;
  const box = form.querySelector("input[type=search]");
  const list = document.createElement("ul");
  const known = new Map();
  let typed = box.value; // what the user typed, while the box shows a suggestion
  let chosen = -1;
  let timer = 0;
  let asking = null;

  list.id = "suggestions";
  list.className = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", form.dataset.label);
  form.append(list);
  box.setAttribute("role", "combobox");
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", list.id);
  close();

  function close() {
    clearTimeout(timer);
    if (asking) asking.abort();
    list.hidden = true;
    chosen = -1;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  }

  function show(suggestions) {
    const options = suggestions.filter((text) => typeof text === "string" && text !== typed.trim());
    list.replaceChildren(...options.map(option));
    if (!options.length || document.activeElement !== box) return close();
    list.hidden = false;
    chosen = -1;
    box.setAttribute("aria-expanded", "true");
    box.removeAttribute("aria-activedescendant");
  }

  function option(text, number) {
    const item = document.createElement("li");
    item.id = `suggestion-${number}`;
    item.dir = "auto";
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    item.textContent = text;
    return item;
  }

  function choose(number) {
    const items = [...list.children];
    chosen = number;
    items.forEach((item, place) => item.setAttribute("aria-selected", String(place === number)));
    box.value = number < 0 ? typed : items[number].textContent;
    if (number < 0) box.removeAttribute("aria-activedescendant");
    else {
      box.setAttribute("aria-activedescendant", items[number].id);
      items[number].scrollIntoView({ block: "nearest" });
    }
  }

  async function ask() {
    const text = typed.trim();
    if (!text) return close();
    if (known.has(text)) return show(known.get(text));
    if (asking) asking.abort();
    asking = new AbortController();
    try {
      const address = `${form.dataset.suggest}?q=${encodeURIComponent(text)}`;
      const answer = await fetch(address, { signal: asking.signal });
      if (!answer.ok) return close();
      const suggestions = (await answer.json()).suggestions;
      if (!Array.isArray(suggestions)) return close();
      known.set(text, suggestions);
      if (text === typed.trim()) show(suggestions);
    } catch {
      // The next key sends a new request; do not interrupt the user with an error.
    }
  }

  box.addEventListener("input", () => {
    typed = box.value;
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT);
  });

  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const last = list.children.length - 1;
    if (event.key === "Escape" && !list.hidden) {
      box.value = typed;
      close();
    } else if (event.key === "ArrowDown" && !list.hidden) choose(chosen < last ? chosen + 1 : -1);
    else if (event.key === "ArrowUp" && !list.hidden) choose(chosen < 0 ? last : chosen - 1);
    else if (event.key === "ArrowDown" && typed.trim()) ask();
    else return;
    event.preventDefault();
  });

  list.addEventListener("mousedown", (event) => event.preventDefault()); // the box keeps the focus
  list.addEventListener("click", (event) => {
    const item = event.target.closest("[role=option]");
    if (!item) return;
    box.value = item.textContent;
    close();
    form.requestSubmit();
  });
  box.addEventListener("blur", close);
  form.addEventListener("submit", close);
})();
