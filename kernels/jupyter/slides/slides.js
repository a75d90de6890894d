// Exported slides of 1280 × 720. A chart is drawn when its slide is shown, because a hidden chart has no size. Then a slide that is too
// high is scaled down, and `data-scale` holds the factor.
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
  while (taken(slide) > 0.99 && scale > 0.4) slide.style.zoom = scale -= 0.02;
  slide.dataset.scale = scale.toFixed(2);
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
  width: 1280, height: 720, margin: 0, center: false, transition: 'none', slideNumber: 'c/t', hash: true, plugins: [RevealNotes]
});
