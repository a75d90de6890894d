// Exported slides of 1280 × 720. A chart is drawn when its slide is shown, because a hidden chart has no size. Then a slide that is too
// high is scaled down a little, and `data-scale` holds the factor. If that isn't enough, the key Space scrolls before it goes on.
const LEAST = 0.96; // smaller text can't be read from the last row
const EDGE = 8; // pixels of a slide that may stay below the screen
function draw(chart) {
  const { data, layout, config, frames } = JSON.parse(chart.firstElementChild.textContent);
  chart.replaceChildren();
  return Plotly.newPlot(chart, { data, layout, config, frames });
}

/** Returns which share of the slide's height its content takes. */
function taken(slide) {
  const window = document.querySelector('.reveal .slides').getBoundingClientRect();
  const cells = [...slide.children].filter((child) => child.getClientRects().length);
  return (Math.max(...cells.map((cell) => cell.getBoundingClientRect().bottom)) - window.top) / window.height;
}

function fit(slide) {
  // Scaled-down content has wider lines and needs fewer of them, so the scale is approached in steps.
  let scale = 1;
  while (taken(slide) > 0.99 && scale > LEAST) slide.style.zoom = scale = Number((scale - 0.02).toFixed(2));
  slide.dataset.scale = scale.toFixed(2);
}

function goOn() {
  const slide = Reveal.getCurrentSlide();
  if (slide.scrollHeight - slide.clientHeight - slide.scrollTop > EDGE) slide.scrollBy({ top: 0.85 * slide.clientHeight });
  else Reveal.next();
}

async function show() {
  const slide = Reveal.getCurrentSlide();
  await Promise.all([...slide.querySelectorAll('.course-chart:not(.js-plotly-plot)')].map(draw));
  if (!slide.dataset.scale) fit(slide);
  slide.querySelectorAll('.course-chart').forEach((chart) => Plotly.Plots.resize(chart));
}

Reveal.on('ready', show);
Reveal.on('slidechanged', show);
Reveal.initialize({
  width: 1280, height: 720, margin: 0, center: false, transition: 'none', slideNumber: 'c/t', hash: true, plugins: [RevealNotes],
  keyboard: { 32: goOn }
});
