// The profile that the user lets this browser store: recent searches and some settings, which are sent with each
// search while the profile is on, and whether the country is used. All of it is in localStorage. The page /you
// shows and deletes it. This script is optional: without it, nothing is offered, stored or sent.
"use strict";

(() => {
  const PROFILE = "gossamer.you"; // {on, country, languages, sites, topic, queries}
  const COUNTRY = "gossamer.country"; // "none" if it is not used
  const KEPT = 20; // queries that are stored
  const SENT = 3; // queries that are sent with a search
  const LONGEST = 200; // characters of a query
  const MOST_SITES = 10;
  const FACTS = ["country", "languages", "sites", "topic"];
  const NOBODY = { on: false, country: "", languages: "", sites: "", topic: "", queries: [] };
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
      const facts = Object.fromEntries(FACTS.map((name) => [name, text(known[name])]));
      return { on: known.on === true, ...facts, country: facts.country.toLowerCase(), queries };
    } catch {
      return { ...NOBODY, queries: [] };
    }
  }

  function write(profile) {
    try {
      if (profile.on || profile.queries.length || FACTS.some((name) => profile[name]))
        localStorage.setItem(PROFILE, JSON.stringify(profile));
      else localStorage.removeItem(PROFILE);
    } catch {
      // The browser refuses to store more; the profile stays as it was.
    }
  }

  function listed(text) {
    return text.split(/[\s,;]+/).filter(Boolean);
  }

  // Store whether a link turned the country off or on.
  const asked = new URLSearchParams(location.search);
  if (asked.get("country") === "none") remember("none");
  else if (asked.get("country") === "auto") remember("");

  function remember(country) {
    try {
      if (country) localStorage.setItem(COUNTRY, country);
      else localStorage.removeItem(COUNTRY);
    } catch {
      // The browser refuses to store it; nothing else changes.
    }
  }

  // Store the search of this page as the latest one.
  const box = document.getElementById("q");
  if (document.querySelector(".hits") && box.value.trim() && !asked.get("page")) {
    const profile = read();
    if (profile.on) {
      const query = box.value.trim().slice(0, LONGEST);
      profile.queries = [query, ...profile.queries.filter((one) => one !== query)].slice(0, KEPT);
      write(profile);
    }
  }

  // Add the profile to the search form when it is sent.
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
    if (profile.topic) sent.push(["prefer_topic", profile.topic]);
    const last = profile.queries.filter((one) => one !== typed).slice(0, SENT);
    return [...sent, ...last.map((one) => ["context", one])];
  }

  // The server has English country names; the browser has them in the page language.
  const language = document.documentElement.lang;
  const named = language !== "en" && window.Intl && Intl.DisplayNames;
  const names = named ? new Intl.DisplayNames([language], { type: "region" }) : null;
  function nameCountry(element, code) {
    if (!names) return;
    element.textContent = names.of(code.toUpperCase());
    element.lang = language;
  }
  for (const one of document.querySelectorAll("[data-country]")) nameCountry(one, one.dataset.country);

  // The page /you.
  const form = document.getElementById("profile");
  if (!form) return;
  const status = form.querySelector("[role=status]");
  const list = document.getElementById("queries");
  nameCountries(form.elements.country);

  function nameCountries(menu) {
    const [none, ...countries] = menu.options;
    for (const one of countries) nameCountry(one, one.value);
    countries.sort((one, other) => one.text.localeCompare(other.text, language));
    menu.replaceChildren(none, ...countries);
  }

  function show() {
    const profile = read();
    form.elements.on.checked = profile.on;
    form.elements.nowhere.checked = localStorage.getItem(COUNTRY) === "none";
    for (const name of FACTS) if (form.elements[name]) form.elements[name].value = profile[name];
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
    const known = read();
    const fact = (name) => (form.elements[name] ? form.elements[name].value.trim() : known[name]);
    const facts = Object.fromEntries(FACTS.map((name) => [name, fact(name)]));
    write({ on: form.elements.on.checked, ...facts, queries: known.queries });
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
