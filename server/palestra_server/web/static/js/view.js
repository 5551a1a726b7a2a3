// @ts-check
// What every part of the page is made of: preact's core. Text from outside only ever becomes a text node.
import { Component, createRef, h } from "../vendor/preact.js";

export { Component, Fragment, createPortal, createRef, h, render } from "../vendor/preact.js";

/** @typedef {import("../vendor/preact.js").ComponentChildren} Children */
/** @typedef {import("../vendor/preact.js").VNode<any>} VNode */

/**
 * A component that listens to something while it is on the page, and keeps the keyboard's focus.
 * @template [P={}] props
 * @template [S={}] state
 * @extends {Component<P, S>}
 */
export class View extends Component {
  #leaving = new AbortController();

  /** Calls `end` when this leaves the page. @param {() => void} end */
  until(end) {
    this.#leaving.signal.addEventListener("abort", end);
  }

  /**
   * Listens until this leaves the page.
   * @param {EventTarget} target @param {string} type @param {(event: any) => void} listener
   */
  hear(target, type, listener) {
    target.addEventListener(type, listener, { signal: this.#leaving.signal });
  }

  /** Calls `act` again and again until this leaves the page. @param {number} ms @param {() => void} act */
  every(ms, act) {
    const timer = setInterval(act, ms);
    this.until(() => clearInterval(timer));
  }

  #timer = 0;

  /** Calls `act` once, in place of what is waited for already; not if this has left the page by then. @param {number} ms @param {() => void} act */
  later(ms, act) {
    this.cancel();
    if (!this.#leaving.signal.aborted) this.#timer = setTimeout(act, ms);
  }

  /** Gives up what `later` waits for. */
  cancel() {
    clearTimeout(this.#timer);
  }

  /**
   * What asks for `work` after news that many pages get at once: it is done soon, but not twice within `apart_ms`, and answers all news in between.
   * @param {() => void} work @param {{soon_ms: number, apart_ms: number}} pauses
   */
  throttled(work, { soon_ms, apart_ms }) {
    let timer = 0;
    let free_at = 0;
    this.until(() => clearTimeout(timer));
    return () => {
      // At random, since hundreds of pages hear of the same result: between half and one and a half of the pause.
      const pause_ms = soon_ms * (0.5 + Math.random());
      timer ||= setTimeout(() => {
        timer = 0;
        free_at = performance.now() + apart_ms;
        work();
      }, Math.max(0, free_at - performance.now()) + pause_ms);
    };
  }

  /** Draws anew, soon: many calls in a row draw once. */
  redraw() {
    this.setState({});
  }

  /** For the outermost element of what is drawn. @type {{current: HTMLElement | null}} */
  root = createRef();

  /** Null when this has left the page. */
  get element() {
    return this.root.current;
  }

  /** @returns {Children} */
  render() {
    return null;
  }

  /** @returns {HTMLElement | null} what has the focus, if that is inside */
  getSnapshotBeforeUpdate() {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    return this.element?.contains(focused) ? focused : null;
  }

  /**
   * A row that moves loses the focus and gets it back. A control that is gone leaves it here, and to no neighbour, which
   * may do something else.
   * @param {P} _before @param {S} _state @param {HTMLElement | null} focused
   */
  componentDidUpdate(_before, _state, focused) {
    if (focused === null || document.activeElement !== document.body) return;
    if (focused.isConnected) focused.focus({ preventScroll: true });
    if (document.activeElement === document.body) rest(this.element);
  }

  componentWillUnmount() {
    this.cancel();
    this.#leaving.abort();
  }
}

/** Gives an element the focus that is no control: Tab goes on from there. @param {HTMLElement | null} element */
export function rest(element) {
  if (!element?.hasAttribute("tabindex")) element?.setAttribute("tabindex", "-1");
  element?.focus({ preventScroll: true });
}

/** As a `ref`: fades what goes on beyond the right edge, as on a phone; else nobody looks for it. @param {HTMLElement | null} element */
export function fading(element) {
  if (element === null) return;
  const fade = () => element.classList.toggle("more", element.scrollLeft + element.clientWidth < element.scrollWidth - 8);
  element.addEventListener("scroll", fade, { passive: true });
  new ResizeObserver(fade).observe(element);
}

/** A table. @param {Record<string, unknown>} attributes @param {Children} head its first row's cells @param {Children} rows @param {Children} [caption] */
export const table = (attributes, head, rows, caption) => h("table", attributes, h("thead", null, h("tr", null, head)), h("tbody", null, rows), caption && h("caption", null, caption));

/** A card with its heading. @param {Children} title @param {Children} content @param {string} [name] */
export const section = (title, content, name) => h("section", { class: name }, h("h2", null, title), h("div", { class: "card" }, content));

/** For `onToggle` of a fold. @param {(open: boolean) => void} heard @returns {(event: Event) => void} */
export const toggled = (heard) => ({ currentTarget }) => heard(/** @type {HTMLDetailsElement} */ (currentTarget).open);

/** For `onSubmit` of a form. @param {(said: Record<string, string>, form: HTMLFormElement) => void} heard gets what stands in its fields, by their names @returns {(event: SubmitEvent) => void} */
export const submitted = (heard) => (event) => {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  heard(Object.fromEntries([...new FormData(form)].map(([name, text]) => [name, String(text).trim()])), form);
};

/** What is chosen from. @param {string} value @param {[string, string][]} options values and their words @param {(value: string) => void} chosen @param {Record<string, unknown>} [attributes] */
export function select(value, options, chosen, attributes = {}) {
  const heard = (/** @type {Event} */ { currentTarget }) => chosen(/** @type {HTMLSelectElement} */ (currentTarget).value);
  return h("select", { ...attributes, value, onChange: heard }, options.map(([each, words]) => h("option", { key: each, value: each }, words)));
}

/** What may be wider than the page. @param {...Children} children */
export const scrolling = (...children) => h("div", { class: "scroll", tabindex: 0, ref: fading }, ...children);
