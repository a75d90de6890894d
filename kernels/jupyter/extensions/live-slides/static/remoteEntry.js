// An extension of JupyterLab for live slides (jupyterlab-rise). It is a container of webpack's module federation, written by hand, because
// it needs nothing of JupyterLab but the commands.
(() => {
  const SLIDE = '.slides section.present section.present';
  const EDGE = 8; // pixels of a slide that may stay below the screen
  const SETTLED = 20_000; // milliseconds after which a speaker's view has shown its first slide
  const PAGE = 0.85; // of the screen's height, by which a slide is scrolled

  const slide = () => document.querySelector(SLIDE);
  const isBusy = (cell) => cell.node.querySelector('.jp-InputPrompt')?.textContent.includes('*');
  const isCode = (cell) => cell.model?.type === 'code' && cell.model.sharedModel.getSource().trim() !== '';

  /** Returns the notebook of the slides, if there is one. */
  function notebook(app) {
    return [...app.shell.widgets('main')].map((widget) => widget.content).find((content) => content?.activeCellIndex !== undefined);
  }

  /** Returns the code cells of the present slide that the audience sees, in order. */
  function cells(app) {
    return (notebook(app)?.widgets ?? []).filter((cell) => isCode(cell) && slide()?.contains(cell.node) && cell.node.getClientRects().length);
  }

  // The numbers of the cells before the first key. A copy that was saved with results has numbers of an earlier session.
  const before = new WeakMap();

  /** Returns the first cell of the slide that hasn't run in this session. */
  function next(app) {
    const unseen = (notebook(app)?.widgets ?? []).filter((cell) => isCode(cell) && !before.has(cell));
    unseen.forEach((cell) => before.set(cell, cell.model.executionCount));
    return cells(app).find((cell) => cell.model.executionCount === before.get(cell));
  }

  const below = () => slide().scrollHeight - slide().clientHeight - slide().scrollTop;

  /** Runs the next cell of the slide. If all have run, scrolls to what is below the screen. If nothing is, shows the next slide. */
  const goOn = (app) => ({
    label: 'Go on with the slides',
    execute: async () => {
      if (slide() === null || cells(app).some(isBusy)) return;
      const cell = next(app);
      if (cell === undefined && below() > EDGE) {
        slide().scrollBy({ top: PAGE * slide().clientHeight });
        return;
      }
      if (cell === undefined) {
        window.postMessage(JSON.stringify({ method: 'next' }), window.origin); // reveal.js has this interface for other windows
        return;
      }
      const all = notebook(app);
      all.activeCellIndex = all.widgets.indexOf(cell);
      await app.commands.execute('notebook:run-cell'); // until the cell has ended
      cell.node.dataset.ran = '';
      cell.node.querySelector('.jp-Cell-outputWrapper')?.scrollIntoView({ block: 'nearest' });
    }
  });

  /** Returns the place of the present slide as reveal.js names it. */
  function place() {
    const number = (section) => [...section.parentNode.children].filter((child) => child.tagName === 'SECTION').indexOf(section);
    return { indexh: number(slide().parentNode), indexv: number(slide()), paused: false };
  }

  const opened = new WeakMap(); // when each speaker's view sent its first message

  /** Keeps the audience where it is when a speaker's view opens. The slides in that view start at the beginning, and tell the audience. */
  function stay(event) {
    if (typeof event.data !== 'string' || !event.data.startsWith('{') || !event.source || event.source === window || !slide()) return;
    if (!opened.has(event.source)) opened.set(event.source, Date.now());
    const { method, args } = JSON.parse(event.data);
    const isStart = method === 'setState' && args[0].indexh === 0 && !args[0].indexv;
    if (!isStart || Date.now() - opened.get(event.source) > SETTLED) return;
    event.stopImmediatePropagation();
    const notes = [...slide().querySelectorAll('aside.notes')].map((note) => note.innerHTML).join('\n');
    const state = { namespace: 'reveal-notes', type: 'state', state: place(), notes, markdown: false, whitespace: 'normal' };
    event.source.postMessage(JSON.stringify(state), window.origin);
  }

  function activate(app) {
    app.commands.addCommand('live-slides:go-on', goOn(app));
    window.addEventListener('message', stay, true);
  }

  const plugin = { id: 'live-slides:plugin', autoStart: true, activate };

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB['live-slides'] = { init: () => undefined, get: async () => () => ({ __esModule: true, default: plugin }) };
})();
