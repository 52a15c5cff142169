// What a person lets this browser keep: the last searches and a few facts, sent along with a search while
// that is turned on; and that the country should not count. All of it stays in localStorage, and the page /you
// shows and deletes it. Nothing needs this script: without it nothing is offered, kept or sent.
"use strict";

(() => {
  const PROFILE = "gossamer.you"; // {on, country, languages, sites, queries}
  const COUNTRY = "gossamer.country"; // "none" where it should not count
  const KEPT = 20; // queries
  const SENT = 3; // of them, with a search
  const LONGEST = 200; // characters of each
  const MOST_SITES = 10;
  const NOBODY = { on: false, country: "", languages: "", sites: "", queries: [] };
  if (!works()) return;
  for (const one of document.querySelectorAll("[data-needs-script]")) one.hidden = false;
  for (const one of document.querySelectorAll("[data-no-script]")) one.hidden = true;

  function works() {
    try {
      localStorage.getItem(PROFILE);
      return true;
    } catch {
      return false; // forbidden by the browser's settings
    }
  }

  function read() {
    try {
      const known = JSON.parse(localStorage.getItem(PROFILE));
      if (!known || typeof known !== "object") return { ...NOBODY, queries: [] };
      const text = (value) => (typeof value === "string" ? value : "");
      const queries = Array.isArray(known.queries) ? known.queries.filter((one) => text(one)) : [];
      return {
        on: known.on === true,
        country: text(known.country),
        languages: text(known.languages),
        sites: text(known.sites),
        queries,
      };
    } catch {
      return { ...NOBODY, queries: [] };
    }
  }

  function write(profile) {
    const { on, country, languages, sites, queries } = profile;
    try {
      if (on || country || languages || sites || queries.length)
        localStorage.setItem(PROFILE, JSON.stringify(profile));
      else localStorage.removeItem(PROFILE);
    } catch {
      // The browser keeps no more: then it does not.
    }
  }

  function listed(text) {
    return text.split(/[\s,;]+/).filter(Boolean);
  }

  // Where the country was turned off or on again by a link, that is remembered.
  const asked = new URLSearchParams(location.search);
  if (asked.get("country") === "none") remember("none");
  else if (asked.get("country") === "auto") remember("");

  function remember(country) {
    try {
      if (country) localStorage.setItem(COUNTRY, country);
      else localStorage.removeItem(COUNTRY);
    } catch {
      // As above.
    }
  }

  // The search that is shown becomes the last one.
  const box = document.getElementById("q");
  if (document.querySelector(".hits") && box.value.trim() && !asked.get("page")) {
    const profile = read();
    if (profile.on) {
      const query = box.value.trim().slice(0, LONGEST);
      profile.queries = [query, ...profile.queries.filter((one) => one !== query)].slice(0, KEPT);
      write(profile);
    }
  }

  // What goes along with a search is put into its form as it is sent.
  for (const form of document.querySelectorAll('form[action$="/search"]')) {
    form.addEventListener("submit", () => {
      for (const old of form.querySelectorAll("[data-own]")) old.remove();
      const typed = form.querySelector("[name=q]").value.trim();
      for (const [name, value] of along(read(), typed)) {
        if (form.querySelector(`[name=${name}]:not([data-own])`)) continue;
        const field = document.createElement("input");
        field.type = "hidden";
        field.name = name;
        field.value = value;
        field.dataset.own = "";
        form.append(field);
      }
    });
  }

  function along(profile, typed) {
    const nowhere = localStorage.getItem(COUNTRY) === "none";
    const sent = nowhere ? [["country", "none"]] : [];
    if (!profile.on) return sent;
    if (profile.country && !nowhere) sent.push(["country", profile.country]);
    if (profile.languages) sent.push(["languages", listed(profile.languages).join(",")]);
    for (const site of listed(profile.sites).slice(0, MOST_SITES)) sent.push(["prefer", site]);
    const last = profile.queries.filter((one) => one !== typed).slice(0, SENT);
    return [...sent, ...last.map((one) => ["context", one])];
  }

  // The page that shows all of it.
  const form = document.getElementById("profile");
  if (!form) return;
  const status = form.querySelector("[role=status]");
  const list = document.getElementById("queries");

  function show() {
    const profile = read();
    form.elements.on.checked = profile.on;
    form.elements.nowhere.checked = localStorage.getItem(COUNTRY) === "none";
    for (const name of ["country", "languages", "sites"]) form.elements[name].value = profile[name];
    list.replaceChildren(...profile.queries.map(item));
    document.getElementById("no-queries").hidden = profile.queries.length > 0;
  }

  function item(query) {
    const line = document.createElement("li");
    const text = document.createElement("bdi");
    const button = document.createElement("button");
    text.textContent = query;
    button.type = "button";
    button.textContent = "×";
    button.setAttribute("aria-label", `${list.dataset.delete}: ${query}`);
    button.addEventListener("click", () => {
      const profile = read();
      write({ ...profile, queries: profile.queries.filter((one) => one !== query) });
      status.textContent = status.dataset.deleted;
      show();
    });
    line.append(text, " ", button);
    return line;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const fact = (name) => form.elements[name].value.trim();
    const on = form.elements.on.checked;
    const queries = read().queries;
    write({ on, country: fact("country"), languages: fact("languages"), sites: fact("sites"), queries });
    remember(form.elements.nowhere.checked ? "none" : "");
    status.textContent = status.dataset.saved;
    show();
  });

  document.getElementById("delete-all").addEventListener("click", () => {
    localStorage.removeItem(PROFILE);
    remember("");
    status.textContent = status.dataset.deleted;
    show();
  });

  show();
})();
