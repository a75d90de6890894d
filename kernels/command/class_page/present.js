// The presenter's mode: one question fills the screen, in up to three steps: the guesses, what happened, and why. The address keeps the place,
// so that a page that loads itself again stays there.
const views = [...document.querySelectorAll("section.asked")].flatMap((section) =>
  [0, 1, 2].filter((step) => step < 2 || section.querySelector(".because")).map((step) => ({
    section, step, address: "#present-" + section.querySelector("h4").id + "-" + step })));
let place = null; // the number of the view; null outside this mode

function onlyGuesses(chart) {
  return place !== null && views[place].step === 0 && views[place].section.contains(chart);
}

function show(next) {
  place = next === null ? null : Math.max(0, Math.min(next, views.length - 1));
  const view = views[place];
  document.body.classList.toggle("presenting", place !== null);
  document.body.dataset.step = view ? view.step : "";
  views.forEach(({ section }) => section.classList.toggle("now", section === view?.section));
  history.replaceState(null, "", view ? view.address : location.pathname);
  places.filter((chart) => drawn.has(chart) || chart.closest(".now")).forEach((chart) => draw(chart));
}

document.getElementById("present")?.addEventListener("click", () => show(0));
document.addEventListener("keydown", (event) => {
  if (place === null || event.ctrlKey || event.altKey || event.metaKey) return;
  if (["ArrowRight", "PageDown", " ", "Enter"].includes(event.key)) show(place + 1);
  else if (["ArrowLeft", "PageUp"].includes(event.key)) show(place - 1);
  else if (event.key === "Escape") show(null);
  else return;
  event.preventDefault();
});
const kept = views.findIndex((view) => view.address === location.hash); // by its question, because others may have come in
if (kept >= 0) show(kept);
const seconds = Number(document.body.dataset.reload);
if (seconds) setTimeout(() => location.reload(), 1000 * seconds);
