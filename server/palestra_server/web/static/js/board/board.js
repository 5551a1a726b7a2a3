// @ts-check
// <pal-board>: draws any game's view, without knowing the game.
import { createRef, h, rest, View } from "../view.js";
import { columnNumbers, drawGrid, gridSize, middle, moveGrid, piece, threat, CELL, NUMBERS } from "./grid.js";
import { drawPits, emptied, pitMiddle, pitNumbers, pitsSize, SEED_MS } from "./pits.js";
import { falling, sowing } from "./motion.js";
import { described, moveWords } from "./words.js";
/** @import { ActionView, Seat, View as BoardView } from "../types.js" */
/** @import { Step } from "./motion.js" */

/**
 * `before` and `action` say how `view` came about: the last move is marked, and it moves where `before` was shown until
 * then. With `onAction` it can be played on while `playable`. `large`: columns and pits have their numbers, and a board of
 * pits stands upright where the screen does. `turned`: seat 1 sits below. `threats`:
 * where who could make four. `line`: moves that go on from here, in order (`motion.js`).
 * @typedef {{view: BoardView | null | undefined, before?: BoardView | null, action?: number | null, playable?: boolean,
 *   hint?: number | null, large?: boolean, turned?: boolean,
 *   threats?: {cell: number, seat: Seat}[], line?: Step[], onAction?: (action: number) => void}} Props
 */

const SHOWN = /** @type {const} */ (["view", "before", "action", "playable", "hint", "large", "turned", "threats", "line"]);

// An upright phone, on which a board that is one long row would be too small to play on.
const tall = matchMedia("(max-width: 700px) and (max-aspect-ratio: 4/5)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @extends {View<Props>} */
export class Board extends View {
  drawing = createRef();
  /** @type {number | null} the action whose place or button had the focus last */
  here = null;
  /** @type {ReturnType<typeof sowing>} the moments of sowing that are still to be shown */
  frames = [];
  /** @type {Animation[]} */
  animations = [];

  componentDidMount() {
    this.hear(tall, "change", () => this.redraw());
    this.until(() => this.#halt());
    if (this.props.onAction !== undefined) this.hear(document, "keydown", (event) => this.#press(event));
  }

  /** Many boards are on the first page, and one of them has moved. @param {Props} next */
  shouldComponentUpdate(next) {
    if (!next.view) return false;
    return next === this.props || SHOWN.some((name) => next[name] !== this.props[name]);
  }

  /** @param {Props} next */
  componentWillReceiveProps(next) {
    const { view } = this.props;
    if (!next.view || next.view === view) return;
    this.#halt();
    if (!view || next.before !== view || calm.matches || document.visibilityState !== "visible") return;
    if (view.kind === "pits" && typeof next.action === "number") this.frames = sowing(view, next.view, next.action);
  }

  /** @param {Props} was @param {{}} _state @param {HTMLElement | null} focused */
  componentDidUpdate(was, _state, focused) {
    const { view, before } = this.props;
    if (view && view !== was.view) {
      if (this.frames.length > 0) this.later(SEED_MS, () => this.#nextSeed());
      else if (view.kind === "grid" && before && before === was.view && !calm.matches && document.visibilityState === "visible") this.animations = moveGrid(this.drawing.current, view, before);
    }
    if (focused !== null && !this.element?.contains(document.activeElement)) this.#focusAgain();
    else if (this.props.playable && !was.playable && document.activeElement === this.element) this.#focusAgain();
  }

  #nextSeed() {
    this.frames.shift();
    this.redraw();
    if (this.frames.length > 0) this.later(SEED_MS, () => this.#nextSeed());
  }

  #halt() {
    this.cancel();
    this.frames = [];
    for (const animation of this.animations.splice(0)) animation.finish();
  }

  /** While there is nothing to play, the board keeps the focus for the place that had it. */
  #focusAgain() {
    const place = this.element?.querySelector(`[data-action="${this.here}"]:not([disabled])`) ?? this.element?.querySelector(".place[tabindex='0']");
    if (this.props.playable && place) /** @type {SVGElement} */ (place).focus({ preventScroll: true });
    else rest(this.element);
  }

  /** @param {number} action */
  #choose(action) {
    if (this.props.playable) this.props.onAction?.(action);
  }

  /** @param {KeyboardEvent} event */
  #walk(event) {
    const places = [...this.drawing.current.querySelectorAll(".place")];
    if (!this.props.playable || event.ctrlKey || event.altKey || event.metaKey) return;
    const here = places.indexOf(/** @type {Element} */ (document.activeElement));
    const step = this.#step(event.key, places);
    if (step !== undefined && places.length > 0) {
      places[(here + step + places.length) % places.length].focus();
      event.preventDefault();
      event.stopPropagation();
    } else if ((event.key === "Enter" || event.key === " ") && here >= 0) {
      this.#choose(Number(places[here].dataset.action));
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** How many places an arrow goes on; on an upright board up and down are what the eye sees. @param {string} key @param {SVGElement[]} places */
  #step(key, places) {
    const right = this.turned ? -1 : 1;
    if (!this.upright) return { ArrowLeft: -right, ArrowRight: right }[key];
    const [first, last] = [places[0], places.at(-1)].map((place) => Number(place?.getAttribute("y")));
    const down = first <= last === (right === 1) ? 1 : -1;
    return { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -down, ArrowDown: down }[key];
  }

  /** Plays the action of a key: a digit for "PUT 3", a letter for "BOOM". @param {KeyboardEvent} event */
  #press(event) {
    const { target, key } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || !this.props.playable) return;
    if (target instanceof HTMLElement && target.closest("input, select, textarea")) return;
    const legal = this.props.view?.actions.filter((action) => action.legal) ?? [];
    const found = legal.find(({ name }) => name.endsWith(` ${key}`) || name.toUpperCase() === key.toUpperCase()) ??
      (/^[a-z]$/i.test(key) ? legal.find(({ name, cells }) => cells.length === 0 && name[0].toUpperCase() === key.toUpperCase()) : undefined);
    if (found === undefined) return;
    event.preventDefault();
    this.#choose(found.action);
  }

  get upright() {
    return this.props.view?.kind === "pits" && this.props.large === true && tall.matches;
  }

  /** Pieces fall down on whichever side one sits. */
  get turned() {
    return this.props.view?.kind === "pits" && this.props.turned === true;
  }

  render() {
    const { view, before = null, action = null, playable = false, hint = null, large = false, threats = [], line = [] } = this.props;
    const { upright } = this;
    if (!view) return h("pal-board", { ref: this.root }, h("svg", { viewBox: "0 0 1 1" }));
    const pits = view.kind === "pits";
    const [width, own] = pits ? pitsSize(view, upright) : gridSize(view);
    const numbered = large && falling(view);
    const height = numbered ? own + NUMBERS : own;
    const over = [hint === null ? null : this.#hint(view, hint), playable ? this.#places(view) : null];
    const [frame] = this.frames;
    // Under the pieces, so that pointing at a column does not tint them.
    const drawn = pits ? [drawPits(frame === undefined || before === null ? view : before, upright, frame, emptied(before, action)), over, steps(view, line, upright), large ? pitNumbers(view, upright) : null] : [drawGrid(view, before, [over, threats.map((each) => threat(view, each)), steps(view, line, upright)], action), numbered ? columnNumbers(view) : null];
    return h(
      "pal-board",
      {
        ref: this.root,
        class: `${upright ? "upright" : ""} ${view.cells.some(({ highlight }) => highlight) ? "decided" : ""}`,
        style: { "--ratio": String(width / height) },
        onKeyDown: (/** @type {KeyboardEvent} */ event) => this.#walk(event),
        onFocusIn: (/** @type {FocusEvent} */ { target }) => this.#focused(/** @type {SVGElement} */ (target)),
      },
      h("svg", { ref: this.drawing, preserveAspectRatio: "xMidYMid meet", viewBox: `0 0 ${width} ${height}`, role: playable ? "group" : "img", "aria-label": described(view) }, this.turned ? h("g", { class: "turned", transform: `rotate(180 ${width / 2} ${height / 2})` }, drawn) : drawn),
      this.#buttons(view),
    );
  }

  /** @param {SVGElement} target */
  #focused({ dataset: { action } }) {
    if (action === undefined || Number(action) === this.here) return;
    this.here = Number(action);
    this.redraw();
  }

  /** What can be clicked, reached by Tab and the arrows. @param {BoardView} view */
  #places(view) {
    const legal = view.actions.filter((action) => action.legal && action.cells.length > 0);
    // Tab comes back to the place that was left, or to the next that can be played.
    const entry = legal.find(({ action }) => action >= Number(this.here)) ?? legal.at(-1);
    return legal.map((each) =>
      h("rect", {
        key: each.action, class: "place", ...around(view, each.cells, this.upright), rx: 12, tabindex: each === entry ? 0 : -1, role: "button",
        "aria-label": moveWords(each.name), "data-action": each.action, onClick: () => this.#choose(each.action),
      }),
    );
  }

  /** Actions without a place on the board. @param {BoardView} view */
  #buttons(view) {
    const without = view.actions.filter((action) => action.cells.length === 0);
    if (!this.props.playable || without.length === 0) return null;
    const button = (/** @type {ActionView} */ { action, name, legal }) =>
      h("button", { key: action, type: "button", disabled: !legal, title: moveWords(name), "data-action": action, onClick: () => this.#choose(action) }, name);
    return h("div", { class: "board-buttons" }, without.map(button));
  }

  /** @param {BoardView} view @param {number} action */
  #hint(view, action) {
    const cells = view.actions.find((a) => a.action === action)?.cells ?? [];
    return cells.length === 0 ? null : h("rect", { class: "hint", ...around(view, cells, this.upright), rx: 12 });
  }
}

/** The moves of a line where they are made, numbered; of several in one pit all numbers. @param {BoardView} view @param {Step[]} line @param {boolean} upright */
function steps(view, line, upright) {
  const pits = view.kind === "pits";
  const cells = [...new Set(line.map(({ cell }) => cell))];
  return h("g", { class: "steps" }, cells.map((cell) => {
    const [x, y] = pits ? pitMiddle(view, cell, upright) : middle(view, cell);
    const here = line.flatMap((step, at) => (step.cell === cell ? [{ ...step, n: at + 1 }] : []));
    const [{ seat }] = here;
    return h("g", { key: cell, class: `step s${seat}` }, pits ? h("circle", { cx: x, cy: y, r: 27 }) : piece({ kind: "piece", seat, count: 1, highlight: false }, x, y), h("text", { class: here.length > 1 ? "several" : "", x, y }, here.map(({ n }) => n).join(" ")));
  }));
}

/** The rectangle around some cells. @param {BoardView} view @param {number[]} cells @param {boolean} upright */
function around(view, cells, upright) {
  const pits = view.kind === "pits";
  const half = pits ? 45 : CELL / 2;
  const middles = cells.map((cell) => (pits ? pitMiddle(view, cell, upright) : middle(view, cell)));
  const xs = middles.map(([x]) => x);
  const ys = middles.map(([, y]) => y);
  const x = Math.min(...xs) - half;
  const y = Math.min(...ys) - half;
  return { x, y, width: Math.max(...xs) + half - x, height: Math.max(...ys) + half - y };
}
