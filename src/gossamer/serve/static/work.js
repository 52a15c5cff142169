// Proof of work for a public form: find numbers whose SHA-256 begins with zero bits. The search starts when the
// form gets the focus. It runs in a worker, which loads this same file, or in short slices without workers.
"use strict";

(() => {
  const SLICE = 4000; // tries per slice
  const K = new Int32Array(64); // FIPS 180-4, 4.2.2: cube roots of the first 64 primes
  const H = new Int32Array(8); // 5.3.3: square roots of the first 8

  function constants() {
    const fraction = (x) => ((x - Math.floor(x)) * 4294967296) | 0;
    for (let n = 2, found = 0; found < 64; n++) {
      let prime = true;
      for (let d = 2; d * d <= n && prime; d++) prime = n % d !== 0;
      if (!prime) continue;
      if (found < 8) H[found] = fraction(Math.sqrt(n));
      K[found++] = fraction(Math.cbrt(n));
    }
  }

  const w = new Int32Array(64);
  const into = new Int32Array(8);

  // 6.2.2: the state after one more block; it is changed in place.
  function compress(state, words) {
    w.set(words);
    for (let t = 16; t < 64; t++) {
      const x = w[t - 15];
      const y = w[t - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[t] = (w[t - 16] + s0 + w[t - 7] + s1) | 0;
    }
    let a = state[0];
    let b = state[1];
    let c = state[2];
    let d = state[3];
    let e = state[4];
    let f = state[5];
    let g = state[6];
    let h = state[7];
    for (let t = 0; t < 64; t++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[t] + w[t]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    into[0] = state[0] + a;
    into[1] = state[1] + b;
    into[2] = state[2] + c;
    into[3] = state[3] + d;
    into[4] = state[4] + e;
    into[5] = state[5] + f;
    into[6] = state[6] + g;
    into[7] = state[7] + h;
    return into;
  }

  function put(words, place, byte) {
    words[place >> 2] |= byte << (24 - 8 * (place & 3));
  }

  // The complete blocks of the prefix are hashed once. The rest of the prefix and the number fit into one block.
  function* search(start, bits) {
    const state = Int32Array.from(H);
    let done = 0;
    for (; start.length - done >= 64; done += 64) {
      const words = new Int32Array(16);
      for (let i = 0; i < 64; i++) put(words, i, start.charCodeAt(done + i));
      state.set(compress(state, words));
    }
    const words = new Int32Array(16);
    for (let number = 0; ; number++) {
      const text = start.slice(done) + number;
      words.fill(0);
      for (let i = 0; i < text.length; i++) put(words, i, text.charCodeAt(i));
      put(words, text.length, 0x80);
      words[15] = 8 * (done + text.length);
      if (compress(state, words)[0] >>> (32 - bits) === 0) return number;
      if (number % SLICE === SLICE - 1) yield;
    }
  }

  function* work(task) {
    const found = [];
    for (let place = 0; place < task.places; place++) {
      found.push(yield* search(`${task.challenge}:${place}:`, task.bits));
    }
    return found.join(",");
  }

  constants();

  if (typeof document === "undefined") {
    self.onmessage = (message) => {
      const steps = work(message.data);
      let step = steps.next();
      while (!step.done) step = steps.next();
      self.postMessage(step.value);
    };
    return;
  }

  const form = document.querySelector("form[data-work]");
  if (!form) return;
  const here = document.currentScript.src;
  const said = form.querySelector("[data-working]");
  let field = form.querySelector("[name=solution]");
  let waiting = false;
  let begun = false;

  if (!field) {
    field = document.createElement("input");
    field.type = "hidden";
    field.name = "solution";
    form.append(field);
  }

  function finish(solution) {
    field.value = solution;
    if (waiting) form.submit();
  }

  function inSlices(task) {
    const steps = work(task);
    const go = () => {
      const step = steps.next();
      if (step.done) finish(step.value);
      else setTimeout(go, 0);
    };
    go();
  }

  function begin() {
    if (begun) return;
    begun = true;
    const { work: challenge, bits, places } = form.dataset;
    const task = { challenge, bits: Number(bits), places: Number(places) };
    try {
      const worker = new Worker(here);
      worker.onmessage = (message) => finish(message.data);
      worker.onerror = () => inSlices(task);
      worker.postMessage(task);
    } catch {
      inSlices(task);
    }
  }

  form.addEventListener("focusin", begin);
  form.addEventListener("submit", (event) => {
    if (field.value) return;
    event.preventDefault();
    if (waiting) return;
    waiting = true;
    said.textContent = said.dataset.working;
    begin();
  });
})();
