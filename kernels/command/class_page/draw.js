"use strict";
// Draws each chart when it comes into view, and all of them before the page is printed. Colours follow the light or dark scheme.
const charts = JSON.parse(document.getElementById("charts").textContent);
const places = [...document.querySelectorAll(".chart")];
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const drawn = new Set();

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function coloured(chart) {
  const traces = chart.data.map((trace) => {
    const shade = colour(trace.meta);
    const marker = { ...trace.marker, color: shade };
    const errors = trace.error_y ? { error_y: { ...trace.error_y, color: shade } } : {};
    return { ...trace, ...errors, marker };
  });
  const shapes = (chart.layout.shapes || []).map((shape) => {
    const shade = colour(shape.name === "right" ? "said" : "was");
    return { ...shape, line: { width: 2, ...shape.line, color: shade }, ...(shape.type === "rect" ? { fillcolor: shade } : {}) };
  });
  return [traces, { ...chart.layout, shapes }];
}

// Charts use the page's font size and grow with it. `width` is given only for printing.
function draw(place, width) {
  drawn.add(place);
  const size = 0.85 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const [all, whole] = coloured(charts[place.dataset.chart]);
  const [data, layout] = onlyGuesses(place) ? [all.filter((trace) => trace.meta !== "was"), { ...whole, shapes: [] }] : [all, whole];
  const height = Math.round(layout.height * size / 15);
  place.style.height = height + "px";
  const scaled = { ...layout, height, width, font: { size }, hoverlabel: { font: { size } } };
  return Plotly.react(place, data, scaled, { displayModeBar: false, responsive: true });
}

const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting && !drawn.has(entry.target)) draw(entry.target);
  }
}, { rootMargin: "600px" });

places.forEach((place) => {
  place.style.height = charts[place.dataset.chart].layout.height + "px";
  watcher.observe(place);
});
dark.addEventListener("change", () => drawn.forEach((place) => draw(place)));
window.addEventListener("beforeprint", () => places.forEach((place) => draw(place, 660)));
window.addEventListener("afterprint", () => drawn.forEach((place) => draw(place)));
