// @ts-check
// <pal-board>: draws any game's view, without knowing the game. Fires "action" with the number that was chosen.
import { h, refill, still, svg } from "../dom.js";
import { t } from "../i18n.js";
import { rest } from "../steady.js";
import { drawGrid, gridSize, middle, moveGrid, CELL } from "./grid.js";
import { drawPits, emptied, pitMiddle, pitsSize, sow } from "./pits.js";

/** @typedef {import("../types.js").View} View */
/** @typedef {{before?: View | null, action?: number | null, animate?: boolean, playable?: boolean, hint?: number | null}} How */

// An upright phone, on which a board that is one long row would be too small to play on.
const tall = matchMedia("(max-width: 700px) and (max-aspect-ratio: 4/5)");

export class Board extends HTMLElement {
  /** @param {{turns?: boolean}} [how] `turns`: a board of pits stands upright where the screen does */
  constructor({ turns = false } = {}) {
    super();
    this.turns = turns;
    /** @type {How} */
    this.last = {};
    this.turned = () => this.view && this.show(this.view, this.last);
    /** @type {View | null} */
    this.view = null;
    this.playable = false;
    this.drawing = svg("svg", { preserveAspectRatio: "xMidYMid meet" });
    this.buttons = h("div", { class: "board-buttons", hidden: true });
    /** @type {string | null} the action whose place or button had the focus last */
    this.here = null;
    this.stop = () => {};
    this.addEventListener("keydown", (event) => this.#key(event));
    this.addEventListener("focusin", ({ target }) => (this.here = /** @type {Element} */ (target).getAttribute("data-action") ?? this.here));
  }

  connectedCallback() {
    if (this.drawing.parentNode !== this) this.append(this.drawing, this.buttons);
    tall.addEventListener("change", this.turned);
  }

  disconnectedCallback() {
    tall.removeEventListener("change", this.turned);
    this.stop();
  }

  /**
   * Shows `view`. `before` and `action` say how it came about: the last move is marked, and with `animate` it moves.
   * @param {View} view
   * @param {How} [how]
   */
  show(view, { before = null, action = null, animate = false, playable = false, hint = null } = {}) {
    this.stop();
    this.stop = () => {};
    const focused = this.contains(document.activeElement);
    this.view = view;
    this.playable = playable;
    this.last = { before, action, playable, hint };
    const upright = view.kind === "pits" && this.turns && tall.matches;
    this.classList.toggle("upright", upright);
    this.classList.toggle("decided", view.cells.some(({ highlight }) => highlight));
    const [width, height] = view.kind === "pits" ? pitsSize(view, upright) : gridSize(view);
    this.drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.drawing.setAttribute("role", playable ? "group" : "img");
    this.drawing.setAttribute("aria-label", this.describe(view));
    this.style.setProperty("--ratio", String(width / height));
    const moving = animate && before !== null && !still() && document.visibilityState === "visible";
    const over = [hint === null ? null : this.#hint(view, hint, upright), ...(playable ? this.#places(view, upright) : [])].filter((part) => part !== null);
    if (view.kind === "pits") {
      const show = (/** @type {SVGElement[]} */ parts) => refill(this.drawing, [...parts, ...over]);
      if (moving && action !== null) this.stop = sow(this.drawing, upright, view, before, action, show);
      else show(drawPits(view, upright, null, emptied(before, action)));
    } else {
      const [ground, holes, ...rest] = drawGrid(view, before);
      // Under the pieces, so that pointing at a column does not tint them.
      this.drawing.replaceChildren(ground, holes, ...over, ...rest);
      if (moving) {
        const animations = moveGrid(this.drawing, view, before);
        this.stop = () => animations.forEach((animation) => animation.finish());
      }
    }
    this.#showButtons(view);
    if (focused) this.#focusAgain();
  }

  /** While there is nothing to play, the board keeps the focus for the place that had it. */
  #focusAgain() {
    const place = this.querySelector(`[data-action="${this.here}"]:not([disabled])`) ?? this.querySelector(".place[tabindex='0']");
    if (this.playable && place) /** @type {SVGElement} */ (place).focus({ preventScroll: true });
    else rest(this);
  }

  /** The position in words, for who cannot see it. @param {View} view */
  describe(view) {
    const seat = (/** @type {0 | 1} */ of) =>
      view.kind === "pits"
        ? t("board.pits", { seat: of + 1, pits: view.cells.filter((c) => c.seat === of).map((c) => c.count).join(" "), store: view.stores?.[of] ?? 0 })
        : t("board.pieces", { seat: of + 1, n: view.cells.filter((c) => c.seat === of).length });
    return `${t("board.label", { rows: view.rows, cols: view.cols })}. ${seat(0)}. ${seat(1)}.`;
  }

  /** What can be clicked, reached by Tab and the arrows. @param {View} view @param {boolean} upright */
  #places(view, upright) {
    const legal = view.actions.filter((action) => action.legal && action.cells.length > 0);
    // Tab comes back to the place that was left, or to the next that can be played.
    const entry = legal.find(({ action }) => action >= Number(this.here)) ?? legal.at(-1);
    return legal.map((action) => {
      const place = svg("rect", {
        class: "place", ...around(view, action.cells, upright), rx: 12, tabindex: action === entry ? 0 : -1, role: "button",
        "aria-label": action.name, "data-action": action.action,
      });
      place.addEventListener("click", () => this.#choose(action.action));
      return place;
    });
  }

  /** Actions without a place on the board. @param {View} view */
  #showButtons(view) {
    const without = view.actions.filter((action) => action.cells.length === 0);
    this.buttons.hidden = !this.playable || without.length === 0;
    if (this.buttons.hidden) return;
    this.buttons.replaceChildren(
      ...without.map((action) => {
        const button = h("button", { type: "button", disabled: !action.legal, "data-action": action.action }, action.name);
        button.addEventListener("click", () => this.#choose(action.action));
        return button;
      }),
    );
  }

  /** @param {View} view @param {number} action @param {boolean} upright */
  #hint(view, action, upright) {
    const cells = view.actions.find((a) => a.action === action)?.cells ?? [];
    return cells.length === 0 ? null : svg("rect", { class: "hint", ...around(view, cells, upright), rx: 12 });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const places = [...this.drawing.querySelectorAll(".place")];
    if (!this.playable || event.ctrlKey || event.altKey || event.metaKey) return;
    const here = places.indexOf(/** @type {Element} */ (document.activeElement));
    const step = this.#step(event.key, places);
    if (step !== undefined && places.length > 0) {
      const next = places[(here + step + places.length) % places.length];
      places.forEach((place) => place.setAttribute("tabindex", place === next ? "0" : "-1"));
      /** @type {SVGElement} */ (next).focus();
      event.preventDefault();
      event.stopPropagation();
    } else if ((event.key === "Enter" || event.key === " ") && here >= 0) {
      this.#choose(Number(places[here].getAttribute("data-action")));
      event.preventDefault();
    }
  }

  /** How many places an arrow goes on; on an upright board up and down are what the eye sees. @param {string} key @param {Element[]} places */
  #step(key, places) {
    if (!this.classList.contains("upright")) return { ArrowLeft: -1, ArrowRight: 1 }[key];
    const [first, last] = [places[0], places.at(-1)].map((place) => Number(place?.getAttribute("y")));
    const down = first <= last ? 1 : -1;
    return { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -down, ArrowDown: down }[key];
  }

  /** Plays the action of a key: a digit for "PUT 3", a letter for "BOOM". True if there is one. @param {string} key */
  press(key) {
    const names = (this.view?.actions ?? []).filter((action) => action.legal);
    const found = names.find(({ name }) => name.endsWith(` ${key}`) || name.toUpperCase() === key.toUpperCase()) ??
      (/^[a-z]$/i.test(key) ? names.find(({ name, cells }) => cells.length === 0 && name[0].toUpperCase() === key.toUpperCase()) : undefined);
    if (!this.playable || found === undefined) return false;
    this.#choose(found.action);
    return true;
  }

  /** @param {number} action */
  #choose(action) {
    if (this.playable) this.dispatchEvent(new CustomEvent("action", { detail: action, bubbles: true }));
  }
}

/** The rectangle around some cells. @param {View} view @param {number[]} cells @param {boolean} upright */
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

customElements.define("pal-board", Board);
