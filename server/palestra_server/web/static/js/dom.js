// @ts-check
// Elements from values, for the big screen only.

/** @typedef {Node | string | number | null | undefined | false} Child */

/** @param {string} tag @param {Record<string, any> | null} [props] @param {...(Child | Child[])} children @returns {HTMLElement} */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...kept(children));
  return element;
}

/** @param {Element} parent @param {...(Child | Child[])} children */
export function fill(parent, ...children) {
  parent.replaceChildren(...kept(children));
}

/** @param {(Child | Child[])[]} children @returns {(Node | string)[]} */
function kept(children) {
  return children.flat().filter((child) => child !== null && child !== undefined && child !== false).map((child) => (child instanceof Node ? child : String(child)));
}
