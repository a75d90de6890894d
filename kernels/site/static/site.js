"use strict";

// A page that was opened from a folder may read no other: search then shows what it found without an excerpt.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// Charts are drawn when they come near the window, from the JSON beside each, by one plotly.js for the whole site. It loads with the first
// chart that is drawn. A chart that has a picture waits until the reader does something.
const charts = [...document.querySelectorAll("figure.chart")];
const here = document.currentScript.src;
let loading;
const plotly = () =>
  (loading ??= new Promise((done, failed) => {
    const script = Object.assign(document.createElement("script"), { src: new URL("plotly.min.js", here), onload: done, onerror: failed });
    document.head.append(script);
  }));
const touched = new Promise((done) =>
  ["pointermove", "pointerdown", "keydown", "scroll", "touchstart"].forEach((name) => window.addEventListener(name, done, { once: true })),
);

// In a narrow window a chart has smaller words, its title on several lines, and a line for each entry of its legend.
const NARROW = 600;
function narrow(plot, { layout, data }) {
  if (plot.clientWidth >= NARROW) return;
  layout.font = { ...layout.font, size: 10 };
  for (const trace of data) trace.cliponaxis = false; // a number beside a long bar reaches into the margin
  for (const [name, axis] of Object.entries(layout)) {
    const room = (name.startsWith("xaxis") ? plot.clientWidth : layout.height) / 8;
    if (/^[xy]axis/.test(name) && axis.title?.text) axis.title.text = wrapped(axis.title.text, room).join("<br>");
  }
  for (const annotation of [layout.title ?? {}, ...(layout.annotations ?? [])]) {
    if (annotation.font?.size > 12) annotation.font.size = 12;
  }
  const lines = wrapped(layout.title?.text ?? "", plot.clientWidth / 6.5);
  if (layout.title) layout.title.text = lines.join("<br>");
  const entries = new Set(data.filter((trace) => trace.showlegend !== false && trace.name).map((trace) => trace.legendgroup ?? trace.name));
  const more = 14 * (lines.length - 1) + (layout.showlegend === false ? 0 : 15 * entries.size);
  layout.margin = { ...layout.margin, t: (layout.margin?.t ?? 60) + more, r: Math.max(layout.margin?.r ?? 0, 30) };
  layout.height += more;
}

function wrapped(text, columns) {
  const lines = [""];
  const seen = (words) => words.replaceAll(/<[^>]*>/g, "").length;
  for (const word of text.replaceAll("<br>", " ").match(/(?:<[^>]*>|[^ <])+/g) ?? []) {
    if (lines.at(-1) && seen(lines.at(-1) + word) >= columns) lines.push(word);
    else lines[lines.length - 1] += (lines.at(-1) && " ") + word;
  }
  return lines;
}

// What Plotly's own slider and buttons do, by elements that the keyboard reaches.
function controls(plot, chart) {
  const [slider] = chart.layout.sliders ?? [];
  if (!slider) return;
  const [menu] = chart.layout.updatemenus ?? [];
  const room = chart.layout.margin.b - slider.pad.t; // the slider's and the buttons'
  chart.layout.margin.b -= room;
  chart.layout.height -= room;
  delete chart.layout.sliders;
  delete chart.layout.updatemenus;

  const range = Object.assign(document.createElement("input"), { type: "range", min: 0, max: slider.steps.length - 1, value: slider.active });
  const said = document.createElement("output");
  const { prefix, suffix } = slider.currentvalue;
  range.setAttribute("aria-label", prefix.replace(/[:\s]+$/, "") || "moment");
  const show = () => {
    const step = slider.steps[range.value];
    said.textContent = prefix + step.label + suffix;
    range.setAttribute("aria-valuetext", step.label + suffix);
    return step;
  };
  range.addEventListener("input", () => Plotly.animate(plot, ...show().args));
  show();

  const bar = Object.assign(document.createElement("div"), { className: "controls" });
  if (menu) bar.append(player(range, menu.buttons[0].args[1].frame.duration));
  bar.append(range, said);
  plot.after(bar);
}

function player(range, millis) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "▶ play" });
  let turns;
  const go = (to) => {
    range.value = to;
    range.dispatchEvent(new Event("input"));
  };
  const stop = () => {
    turns = clearInterval(turns);
    button.textContent = "▶ play";
  };
  const turn = () => {
    go(Number(range.value) + 1);
    if (range.value === range.max) stop();
  };
  button.addEventListener("click", () => {
    if (turns) return stop();
    button.textContent = "❚❚ pause";
    turns = setInterval(turn, millis);
    if (range.value === range.max) go(0); // once more
    else turn();
  });
  return button;
}

const drawn = new Map(); // each chart is drawn once
const draw = (figure) => drawn.get(figure) ?? drawn.set(figure, drawing(figure)).get(figure);

async function drawing(figure) {
  const [plot, data] = [figure.querySelector(".plot"), figure.querySelector("script")];
  await plotly();
  const chart = JSON.parse(data.textContent);
  plot.replaceChildren(); // a page's first chart has a picture here
  narrow(plot, chart);
  controls(plot, chart);
  plot.style.height = `${chart.layout.height}px`;
  const displayModeBar = plot.clientWidth < NARROW ? false : "hover"; // on a phone, the toolbar would lie on the title
  await Plotly.newPlot(plot, { ...chart, config: { ...chart.config, responsive: true, displayModeBar } });
  figure.classList.add("drawn");
  reach(figure);
}

// What scrolls can be scrolled by keys.
function reach(figure) {
  figure.tabIndex = figure.scrollWidth > figure.clientWidth ? 0 : -1;
}

const near = new IntersectionObserver(
  (seen) =>
    seen
      .filter((entry) => entry.isIntersecting)
      .forEach(async ({ target }) => {
        if (target.querySelector("svg")) await touched;
        draw(target);
      }),
  { rootMargin: "400px" },
);
charts.forEach((figure) => near.observe(figure));
window.addEventListener("resize", () => charts.forEach(reach));
// On paper everything is open, and dark words are on white.
const theme = document.documentElement.dataset;
let onScreen;
function openAll() {
  guesses.forEach((guess) => guess.skip());
  document.querySelectorAll("details").forEach((fold) => (fold.open = true));
}
window.addEventListener("beforeprint", () => {
  onScreen ??= theme.theme; // a browser can say twice that it is about to print
  theme.theme = "light";
  openAll();
  charts.forEach(draw);
});
// A browser doesn't wait for charts, so the keys that print do. A chart that is hidden while it is drawn would be narrow.
window.addEventListener("keydown", async (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key !== "p") return;
  event.preventDefault();
  openAll();
  await Promise.allSettled(charts.map(draw));
  print();
});
window.addEventListener("afterprint", () => ([theme.theme, onScreen] = [onScreen, undefined]));

// ---- something to move: naps on a pool like Scala's global one, simulated by the rule that page 04 checks

// How many of the naps sleep simultaneously. Inside blocking, one beyond the limit of extra threads does.
const simultaneous = ({ threads, tasks, limit }, blocking) => Math.min(tasks, blocking ? Math.max(threads, limit + 1) : threads);

function simulation(place) {
  const [numbers, chart, said] = [{ threads: 2, tasks: 10, limit: 4 }, document.createElement("div"), document.createElement("output")];
  const announces = Object.assign(document.createElement("input"), { type: "checkbox", checked: true, oninput: show });
  const sliders = Object.entries({ threads: ["Threads", 8], tasks: ["Tasks", 24], limit: ["Extra threads at most", 16] }).map(([name, [words, most]]) => {
    const [range, value] = [document.createElement("input"), document.createElement("output")];
    Object.assign(range, { type: "range", min: name === "limit" ? 0 : 1, max: most, value: numbers[name] });
    value.textContent = range.value;
    range.addEventListener("input", () => {
      value.textContent = numbers[name] = Number(range.value);
      show();
    });
    const label = document.createElement("label");
    label.append(words, range, value);
    return label;
  });
  const label = document.createElement("label");
  label.append(announces, "each task sleeps inside blocking { }");
  function show() {
    const many = simultaneous(numbers, announces.checked);
    const rounds = Math.ceil(numbers.tasks / many);
    const bars = Array.from({ length: numbers.tasks }, (_, n) => {
      const [lane, round] = [n % many, Math.floor(n / many)];
      const extra = lane >= numbers.threads ? "extra" : "";
      return `<rect class="${announces.checked ? "blocked" : "running"} ${extra}" x="${(100 * round) / rounds}%" y="${14 * lane}" width="${98 / rounds}%" height="11" rx="2" />`;
    });
    chart.innerHTML = `<svg width="100%" height="${14 * many}" role="img" aria-label="a lane for each thread">${bars.join("")}</svg>`;
    const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
    const more = Math.max(0, many - numbers.threads);
    said.textContent = `${many} of ${count(numbers.tasks, "task")} sleep simultaneously, on ${count(many, "thread")}, of which ${more} are extra. All are done after ${count(rounds, "nap")}.`;
  }
  const title = Object.assign(document.createElement("p"), { innerHTML: "<strong>Try other numbers.</strong> Simulated in your browser, not measured." });
  place.append(title, ...sliders, label, said, chart);
  show();
}
document.querySelectorAll(".simulation").forEach(simulation);

// A page with folded code has a button that unfolds all of it.
const code = [...document.querySelectorAll("details.above-input")];
if (code.length) {
  const unfold = Object.assign(document.createElement("button"), { type: "button", className: "guess", textContent: "Show all code" });
  unfold.addEventListener("click", () => {
    code.forEach((fold) => (fold.open = true));
    unfold.remove();
  });
  document.querySelector("article h1").after(unfold);
}

// ---- guesses: a question is asked before its answer is shown. What follows it in its section is hidden until then.

const KEPT = "which-thread answers"; // by page, and by question: whether the last guess was right
const ALL = "which-thread shows all"; // until the tab is closed
// A browser may keep nothing for a page, for example in a private window. Then the score counts only this visit.
const memory = {};
function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? memory[name];
  } catch {
    return memory[name];
  }
}
function keep(name, value) {
  memory[name] = value;
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // It stays in memory.
  }
}
const page = location.pathname.split("/").at(-1).replace(".html", "");

// The pairs of a panel: what is named on the left, and the element on the right.
function facts(panel) {
  const spans = [...panel.querySelectorAll('div[style*="grid"] > span')];
  return new Map(spans.flatMap((span, n) => (n % 2 ? [] : [[span.textContent.trim(), spans[n + 1]]])));
}

const within = (factor, said, happened) => {
  const [least, most] = [happened / factor, happened * factor].sort((one, two) => one - two);
  return least <= said && said <= most;
};
const numbers = (text) => (text.replaceAll(/(?<=\d),(?=\d{3})/g, "").match(/-?\d+(\.\d+)?/g) ?? []).map(Number);

// A question that hides what follows it until it is answered or skipped. Subclasses return the fields and buttons of an answer.
class Guess {
  constructor(question) {
    [this.question, this.open] = [question, false];
    this.cell = question.closest("div.cell");
    this.place = [...question.children].at(-1);
  }

  get name() {
    return this.question.getAttribute("aria-label");
  }

  get following() {
    const found = [];
    for (let next = this.cell.nextElementSibling; next; next = next.nextElementSibling) found.push(next);
    return found;
  }

  ask() {
    const skips = [button("Just show me", () => this.skip(), "quiet"), button("Show all answers", showAll, "quiet")];
    this.place.replaceChildren(...this.fields(), ...skips);
    this.place.classList.add("guesses");
    this.place.setAttribute("role", "status");
    this.place.tabIndex = -1;
    this.following.forEach((element) => element.classList.add("not-yet"));
    return this;
  }

  // Keeps for each part of the question whether the guess was right, and shows what happened.
  judged(parts, said) {
    const all = kept(KEPT);
    keep(KEPT, { ...all, [page]: { ...all?.[page], ...parts } });
    this.show(said);
    score();
    this.place.focus();
  }

  skip() {
    if (!this.open) this.show("");
  }

  show(said) {
    this.open = true;
    this.place.textContent = said;
    for (const element of this.following) {
      element.classList.remove("not-yet");
      if (guesses.some((other) => !other.open && other.cell === element)) break;
    }
    charts.forEach((figure) => (near.unobserve(figure), near.observe(figure)));
  }
}

const button = (text, action, about = "") =>
  Object.assign(document.createElement("button"), { type: "button", textContent: text, onclick: action, className: `guess ${about}` });

function field(name) {
  const input = Object.assign(document.createElement("input"), { type: "number", step: "any", required: true });
  input.setAttribute("aria-label", name);
  return input;
}

function form(action, ...parts) {
  const form = Object.assign(document.createElement("form"), { onsubmit: () => (action(), false) });
  form.append(...parts, Object.assign(document.createElement("button"), { textContent: "Guess", className: "guess" }));
  return form;
}

// Asks for a number, or for one of several options. `answer` is the panel that tells what happened.
class OneGuess extends Guess {
  constructor(question, answer) {
    super(question);
    this.facts = facts(answer);
    this.options = [...facts(question)].filter(([letter]) => /^[a-z]$/.test(letter)).map(([, option]) => option.textContent.trim());
    this.happened = this.facts.get("happened")?.textContent.trim();
  }

  fields() {
    if (this.options.length) return this.options.map((option) => button(option, () => this.say(option)));
    const number = field(this.name);
    return [form(() => this.say(number.value), number)];
  }

  // Whether a guess is right; undefined if the recorded words don't tell, or if the page couldn't decide.
  judge(said) {
    if (this.facts.has("because")) return undefined;
    if (this.options.length) {
      const [right] = this.options.filter((option) => this.happened.startsWith(option)).sort((one, two) => two.length - one.length);
      return right && right === said;
    }
    const [happened] = numbers(this.happened);
    const [low, high = low] = numbers(this.facts.get("right is")?.textContent ?? "");
    if (low !== undefined) return low <= Number(said) && Number(said) <= high;
    if (happened === undefined) return undefined;
    // Where a page says nothing else, a factor of 1.1 to the result counts as right, as in a notebook (lab.page.Predict).
    return within(1.1, Number(said), happened);
  }

  say(said) {
    const right = this.judge(said);
    const mark = right === undefined ? "" : right ? " ✓" : " ✗";
    this.judged(right === undefined ? {} : { [this.name]: right }, `You said ${said}${mark}. ${this.happened ? `It happened: ${this.happened}` : "This run didn't decide it"}.`);
  }
}

// Asks for the numbers of a whole table. `answer` is the table that tells what happened.
class TableGuess extends Guess {
  constructor(question, answer) {
    super(question);
    this.columns = [...answer.tHead.rows[0].cells].slice(1).map((cell) => cell.textContent);
    this.rows = [...answer.tBodies[0].rows].map((row) => [row.cells[0].textContent, [...row.cells].slice(1)]);
  }

  fields() {
    const cell = (tag, ...content) => {
      const made = document.createElement(tag);
      made.append(...content);
      return made;
    };
    const row = (...cells) => cell("tr", ...cells);
    this.inputs = this.rows.map(([name]) => this.columns.map((column) => Object.assign(field(`${name}: ${column}`), { required: false })));
    const table = cell("table", row(...["", ...this.columns].map((column) => cell("th", column))));
    this.rows.forEach(([name], n) => table.append(row(cell("th", name), ...this.inputs[n].map((input) => cell("td", input)))));
    return [form(() => this.say(), table)];
  }

  // A field that stays empty isn't judged.
  say() {
    const parts = {};
    this.rows.forEach(([name, cells], n) =>
      cells.forEach((cell, at) => {
        const said = this.inputs[n][at].value;
        if (said === "") return;
        // A factor of 1.25 counts as near, as in a notebook (lab.page.PredictTable).
        const right = within(1.25, Number(said), numbers(cell.textContent)[0]);
        parts[`${this.name} ${name} ${this.columns[at]}`] = right;
        cell.append(Object.assign(document.createElement("small"), { textContent: ` you said ${said} ${right ? "✓" : "✗"}` }));
      }),
    );
    const [near, all] = [Object.values(parts).filter(Boolean).length, Object.keys(parts).length];
    if (all) this.judged(parts, `${near} of your ${all} numbers ${near === 1 ? "is" : "are"} near. The table of what happened shows them, too.`);
    else this.skip();
  }
}

function showAll() {
  try {
    sessionStorage.setItem(ALL, "true");
  } catch {
    // This page shows all.
  }
  guesses.forEach((guess) => guess.skip());
}

function showsAll() {
  try {
    return sessionStorage.getItem(ALL);
  } catch {
    return null;
  }
}

// On a page with questions, and on the front page, says how many guesses were right.
function score() {
  const all = Object.entries(kept(KEPT) ?? {}).filter(([name]) => page === "index" || page === "" || name === page);
  const judged = all.flatMap(([, answered]) => Object.values(answered));
  if (!judged.length) return;
  const line = document.querySelector(".score") ?? Object.assign(document.createElement("p"), { className: "score" });
  line.textContent = `You guessed ${judged.filter(Boolean).length} of ${judged.length} right${all.length > 1 ? ` on ${all.length} pages` : ""}.`;
  document.querySelector("article").append(line);
}

const panels = [...document.querySelectorAll('.cell_output [role="group"][aria-label]')];
const answers = new Map(panels.filter((panel) => ["happened", "because"].some((name) => facts(panel).has(name))).map((panel) => [panel.getAttribute("aria-label"), panel]));
const tables = new Map([...document.querySelectorAll(".cell_output table")].map((table) => [table.caption?.textContent.trim(), table]));
const guesses = panels
  .filter((panel) => panel.querySelector("span")?.textContent === "?")
  .flatMap((panel) => {
    const [name, whole] = [panel.getAttribute("aria-label"), facts(panel).has("for each row")];
    if (whole) return tables.has(name) ? [new TableGuess(panel, tables.get(name))] : [];
    return answers.has(name) ? [new OneGuess(panel, answers.get(name))] : [];
  });
guesses.forEach((guess) => guess.ask());
if (showsAll()) guesses.forEach((guess) => guess.skip());
// A link into what is hidden shows it.
const anchor = location.hash.slice(1);
const target = document.getElementById(anchor);
guesses.filter((guess) => guess.following.some((element) => element.contains(target))).forEach((guess) => guess.skip());
score();
