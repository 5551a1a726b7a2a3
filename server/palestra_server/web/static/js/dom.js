// @ts-check
// Elements from values. Text from outside only ever becomes a text node: there is no way to write markup here.

import { steady } from "./steady.js";

/** @typedef {Node | string | number | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. A property that is a function becomes a listener (`onclick`), `true` an empty attribute,
 * null and false none at all.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any> | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  set(element, props);
  element.append(...kept(children));
  return element;
}

/**
 * An SVG element.
 * @param {string} tag
 * @param {Record<string, any> | null} [props]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function svg(tag, props, ...children) {
  const element = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  set(element, props);
  element.append(...kept(children));
  return element;
}

/**
 * Gives `parent` these children and no others.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function fill(parent, ...children) {
  steady(parent, () => parent.replaceChildren(...kept(children)));
}

/**
 * Gives `parent` these children, and does not touch those that stay: who is just clicking on one clicks on it.
 * @param {Element} parent
 * @param {Element[]} children
 */
export function refill(parent, children) {
  steady(parent, () => {
    const wanted = new Set(children);
    for (const child of [...parent.childNodes]) if (!(child instanceof Element && wanted.has(child))) child.remove();
    for (const [at, child] of children.entries()) if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
}

/** @param {Element} element @param {Record<string, any> | null} [props] */
function set(element, props) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/** @param {(Child | Child[])[]} children @returns {(Node | string)[]} */
function kept(children) {
  const nodes = [];
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    nodes.push(child instanceof Node ? child : String(child));
  }
  return nodes;
}

/**
 * Fades what goes on beyond the right edge of `element`, as on a phone: else nobody looks for it.
 * @template {HTMLElement} E
 * @param {E} element
 * @returns {E}
 */
export function fading(element) {
  const fade = () => element.classList.toggle("more", element.scrollLeft + element.clientWidth < element.scrollWidth - 8);
  element.addEventListener("scroll", fade, { passive: true });
  new ResizeObserver(fade).observe(element);
  return element;
}

/**
 * A command whose words, and options with their values, are not cut in two where the line ends.
 * @param {string} text
 */
export function command(text) {
  return text.split(/(--\S* (?!--)\S+|\s+)/).map((word) => (/\S/.test(word) ? h("span", { class: "word" }, word) : word));
}

/** Whether the reader asked for less motion. */
export function still() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * A button that copies what `text` gives and says so.
 * @param {() => string} text
 * @param {string} label
 * @param {string} done
 */
export function copyButton(text, label, done) {
  const button = h("button", { type: "button", class: "copy" }, label);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      // Without https there is no clipboard: select the text through a field of our own.
      const field = h("textarea", { class: "only-read" });
      field.value = text();
      button.after(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    button.textContent = done;
    setTimeout(() => (button.textContent = label), 1600);
  });
  return button;
}
