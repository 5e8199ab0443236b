"use strict";
// The page: text, question, answer. Nothing here decides anything; all answers are the program's.
if (typeof document !== "undefined") (() => {
  const at = (id) => document.getElementById(id);
  const buttons = [...document.querySelectorAll("[data-verb]")];
  let worker = null, numbers = 0, waiting = new Map(), asked = 0, clauses = new Map(), verb = "check";

  // ---- the program ----------------------------------------------------------------------------------------
  function begin() {
    worker = new Worker("playground.js");
    worker.onmessage = ({data}) => {
      if (data.refused) return refuse(data.refused);
      if (data.ready) return;
      waiting.get(data.number)?.(data.answer);
      waiting.delete(data.number);
    };
    worker.onerror = (e) => refuse(e.message);
    return program.then((bytes) => worker.postMessage({program: bytes}), (e) => refuse(e.message));
  }
  function refuse(why) {
    say("bad", "The program cannot be used: " + why);
    for (const b of buttons) b.disabled = true;
  }
  const program = fetch("fencepost.wasm").then((r) => {
    if (!r.ok) throw new Error(`fencepost.wasm: ${r.status}`);
    return r.arrayBuffer();
  });
  function ask(words, files) {
    const number = ++numbers;
    return new Promise((done) => {
      waiting.set(number, done);
      begun.then(() => worker.postMessage({number, question: {id: number, arguments: words, files}}));
    });
  }
  function stop() {
    worker.terminate();
    waiting.clear();
    ++asked;
    begun = begin();
    busy(false);
    say("open", "Stopped: there is no answer.");
  }

  // ---- the question ---------------------------------------------------------------------------------------
  const isProgress = (text) => /^(\s|\/\/.*\n)*progress\b/.test(text);
  const exampleText = () => FENCEPOST.examples[at("example").value]?.text;
  function nameOf(text) {
    const example = FENCEPOST.examples[at("example").value];
    if (example && example.text === text) return example.name.split("/").pop();
    if (isProgress(text)) return "test.axb";
    return /^\s*(NEWWG|NEWSG|NEWQF|NEWTHREAD|\.global)/m.test(text) ? "test.test" : "test.litmus";
  }
  function words(form) {
    const model = at("model").value, own = model ? ["--model", model] : [];
    if (verb === "progress") return ["progress", "check", ...own, "--fairness", at("fairness").value, ...form];
    if (verb === "diff-models") return ["diff-models", model || "sc", at("other").value];
    return [verb, ...own, "--budget", "60s", ...form];
  }
  function busy(is) {
    at("stop").disabled = !is;
    at("answer").setAttribute("aria-busy", is);
  }
  function say(state, text) {
    at("verdict").dataset.state = state;
    at("verdict").textContent = text;
  }
  const stateOf = (a) => a.trap ? "bad" : [null, "bad", "bad", "open", "bad"][a.status] ?? "good";

  async function run() {
    const text = at("test").value, name = nameOf(text), files = {[name]: text}, mine = ++asked, begin = performance.now();
    const draws = verb === "explain" || verb === "progress";
    busy(true);
    say("", "Asking.");
    at("picture").hidden = true;
    at("text").textContent = at("edge").textContent = "";
    const answer = await ask([...words(draws ? ["--witness", "picture.svg"] : []), name], files);
    if (mine !== asked) return;
    busy(false);
    tell(answer, (performance.now() - begin) / 1000);
    if (verb !== "explain" || answer.trap || answer.status > 1) return;
    const whole = await ask([...words(["--json"]), name], files);
    if (mine === asked) clauses = clausesOf(whole);
  }
  function tell(a, seconds) {
    if (a.trap) {
      say("bad", "The program stopped, and its instance was thrown away: " + a.trap);
      at("text").textContent = a.messages;
      return;
    }
    const out = a.output ?? (a.answers ?? []).map((j) => JSON.stringify(j, null, 1)).join("\n");
    const meaning = {0: "answered", 1: "answered", 2: "the text or the question has an error", 3: "not decided", 4: "not asked, or an internal error"}[a.status];
    const first = out.split("\n").find((l) => l) ?? "", said = verb === "check" || verb === "progress" ? first.replace(/\s{2,}/g, " · ") : "";
    say(verb === "check" || verb === "progress" || a.status > 1 ? stateOf(a) : "", `${said || meaning} (${seconds.toFixed(2)} s)`);
    at("text").textContent = a.messages + out;
    const drawn = Object.entries(a.files ?? {}).find(([n]) => n.endsWith(".svg"));
    if (drawn) draw(drawn[1]);
  }

  // ---- the picture ----------------------------------------------------------------------------------------
  function clausesOf(answer) {
    const found = new Map();
    const walk = (edge) => {
      const key = `${edge.from} ${edge.relation} ${edge.to}`;
      if (edge.defined && !found.has(key)) found.set(key, edge.defined);
      (edge.because ?? []).forEach(walk);
    };
    for (const a of answer.answers ?? [])
      for (const c of a.candidates?.list ?? []) for (const r of [c.rejected_by].flat()) (r?.edges ?? []).forEach(walk);
    return found;
  }
  // "ptx-7.5.cat:53" with what stands there
  function clauseText(place) {
    const [, name, line] = /^(.*):(\d+)$/.exec(place) ?? [], text = FENCEPOST.models["/models/" + name];
    return text ? `${place}: ${text.split("\n")[line - 1]?.trim()}` : place;
  }
  function showEdge(path) {
    const {from, relation, to} = path.dataset, title = path.querySelector("title")?.textContent.replace(/^: /, "") ?? "";
    const place = clauses.get(`${from} ${relation} ${to}`);
    at("edge").textContent = place ? `${title} (${clauseText(place)})` : title;
  }
  function draw(svg) {
    const picture = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    if (picture.localName !== "svg") return;
    for (const e of [picture, ...picture.querySelectorAll("*")]) {
      if (/^(script|foreignObject|a|image|use|iframe)$/i.test(e.localName)) { e.remove(); continue; }
      for (const {name} of [...e.attributes]) if (/^on|href$/i.test(name)) e.removeAttribute(name);
    }
    const frame = at("picture"), inside = frame.shadowRoot ?? frame.attachShadow({mode: "open"});
    const style = document.createElement("style");
    style.textContent = "svg{display:block;max-width:none}path[data-relation]:hover,path[data-relation]:focus{stroke-width:4;outline:none}";
    inside.replaceChildren(style, picture);
    for (const path of inside.querySelectorAll("path[data-from]")) {
      path.setAttribute("tabindex", "0");
      path.setAttribute("pointer-events", "stroke");
      for (const event of ["mouseenter", "focus", "click"]) path.addEventListener(event, () => showEdge(path));
    }
    frame.hidden = false;
  }

  // ---- the text -------------------------------------------------------------------------------------------
  function number() {
    at("lines").textContent = Array.from({length: at("test").value.split("\n").length}, (_, k) => k + 1).join("\n");
    at("lines").scrollTop = at("test").scrollTop;
  }
  function fill(select, options, chosen, otherwise) {
    select.replaceChildren(...options.map(([value, text, title]) => Object.assign(new Option(text, value), {title: title ?? ""})));
    select.value = options.some(([v]) => v === chosen) ? chosen : otherwise;
  }
  function setVerb(to) {
    verb = to;
    for (const b of buttons) b.setAttribute("aria-pressed", b.dataset.verb === verb);
    const progress = verb === "progress", models = progress ? FENCEPOST.progress : FENCEPOST.axiomatic;
    at("other-part").hidden = verb !== "diff-models";
    at("fairness-part").hidden = !progress;
    const list = models.map((m) => [m.name, m.name, m.summary]);
    fill(at("model"), progress ? list : [["", "the test's own"], ...list], at("model").value, progress ? "hsa" : "");
    fill(at("other"), list, at("other").value, progress ? "hsa" : "ptx-6.0");
  }
  function load(text, of) {
    at("test").value = text;
    number();
    if (of) setVerb(of);
  }

  // ---- links ----------------------------------------------------------------------------------------------
  // #1 and JSON as base64url: {text, verb, model, other, fairness}
  const encode = (o) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(o)))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const decode = (s) => JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(s.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0))));
  async function share() {
    const state = {text: at("test").value, verb, model: at("model").value, other: at("other").value, fairness: at("fairness").value};
    history.replaceState(null, "", "#1" + encode(state));
    let copied = true;
    try { await navigator.clipboard.writeText(location.href); } catch { copied = false; }
    at("edge").textContent = copied ? "The link is copied; it holds the test." : "The address of this page holds the test now.";
  }
  function fromLink() {
    if (!location.hash.startsWith("#1")) return false;
    try {
      const s = decode(location.hash.slice(2));
      if (typeof s.text !== "string" || !buttons.some((b) => b.dataset.verb === s.verb)) throw new Error();
      load(s.text, s.verb);
      for (const k of ["model", "other", "fairness"]) if ([...at(k).options].some((o) => o.value === s[k])) at(k).value = s[k];
      return true;
    } catch {
      say("bad", "The link holds no test.");
      return false;
    }
  }

  // ---- the beginning --------------------------------------------------------------------------------------
  let begun = begin();
  const groups = new Map();
  FENCEPOST.examples.forEach((e, k) => {
    const group = e.name.split("/")[0];
    if (!groups.has(group)) groups.set(group, Object.assign(document.createElement("optgroup"), {label: group}));
    const option = new Option(e.name.split("/").pop(), k);
    option.dataset.ending = e.name.slice(e.name.lastIndexOf("."));
    groups.get(group).append(option);
  });
  at("example").append(...groups.values());
  at("example").onchange = () => {
    load(exampleText(), at("example").selectedOptions[0].dataset.ending === ".axb" ? "progress" : verb === "progress" ? "check" : verb);
    run();
  };
  for (const b of buttons) b.onclick = () => { setVerb(b.dataset.verb); run(); };
  for (const id of ["model", "other", "fairness"]) at(id).onchange = run;
  at("test").oninput = number;
  at("test").onscroll = number;
  at("stop").onclick = stop;
  at("share").onclick = share;
  document.addEventListener("keydown", (e) => { if ((e.ctrlKey || e.metaKey) && e.key === "Enter") { e.preventDefault(); run(); } });
  window.addEventListener("hashchange", () => { if (fromLink()) run(); });
  at("about").textContent = `Fencepost ${FENCEPOST.number}: docs/playground.md says what this page does and what it leaves out.`;
  setVerb("check");
  if (!fromLink()) load(exampleText(), at("example").selectedOptions[0]?.dataset.ending === ".axb" ? "progress" : "check");
  run();
  if ("serviceWorker" in navigator && location.protocol.startsWith("http")) navigator.serviceWorker.register("playground.js").catch(() => {});
})();
