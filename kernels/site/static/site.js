"use strict";

// A page that was opened from a folder may read no other: search then shows what it found without an excerpt.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

// Charts are drawn when they come near the window, from the JSON beside each, by one plotly.js for the whole site.
const charts = [...document.querySelectorAll("figure.chart")];
const here = document.currentScript.src;
const plotly = charts.length
  ? new Promise((done, failed) => {
      const script = Object.assign(document.createElement("script"), { src: new URL("plotly.min.js", here), onload: done, onerror: failed });
      document.head.append(script);
    })
  : undefined;

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

async function draw(figure) {
  const [plot, data] = [figure.querySelector(".plot"), figure.querySelector("script")];
  if (!data) return;
  data.remove(); // it is drawn once
  await plotly;
  const chart = JSON.parse(data.textContent);
  plot.replaceChildren(); // a picture stands there, of a page's first chart
  controls(plot, chart);
  plot.style.height = `${chart.layout.height}px`;
  await Plotly.newPlot(plot, { ...chart, config: { ...chart.config, responsive: true } });
  figure.classList.add("drawn");
  reach(figure);
}

// What scrolls can be scrolled by keys.
function reach(figure) {
  figure.tabIndex = figure.scrollWidth > figure.clientWidth ? 0 : -1;
}

const near = new IntersectionObserver(
  (seen) => seen.filter((entry) => entry.isIntersecting).forEach((entry) => draw(entry.target)),
  { rootMargin: "400px" },
);
charts.forEach((figure) => near.observe(figure));
window.addEventListener("resize", () => charts.forEach(reach));
window.addEventListener("beforeprint", () => charts.forEach(draw));
