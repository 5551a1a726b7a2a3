// @ts-check
// What a reader did stays, though it is drawn anew: the focus, how far a table is scrolled, what is folded out.

const CONTROLS = "a[href], button, input, select, textarea, summary, [tabindex]";
/** @type {WeakMap<HTMLDetailsElement, boolean>} whether it came folded out */
const came = new WeakMap();

/**
 * Draws anew what is in `parent`. A control that is there again keeps the focus; else `parent` gets it, and no neighbour,
 * which may do something else.
 * @param {Element} parent
 * @param {() => void} draw
 */
export function steady(parent, draw) {
  const focused = document.activeElement;
  const inside = focused !== parent && parent.contains(focused);
  const name = inside ? names(parent).find(([, control]) => control === focused)?.[0] : undefined;
  const lefts = scrolled(parent).map((each) => each.scrollLeft);
  const folds = folded(parent).map((each) => (came.get(each) ?? each.open) === each.open ? null : each.open);
  draw();
  scrolled(parent).forEach((each, at) => lefts[at] && (each.scrollLeft = lefts[at]));
  folded(parent).forEach((each, at) => {
    if (!came.has(each)) came.set(each, each.open);
    each.open = folds[at] ?? each.open;
  });
  if (!inside || document.activeElement === focused) return;
  const same = names(parent).find(([other]) => other === name)?.[1];
  same?.focus({ preventScroll: true });
  if (same === undefined || document.activeElement !== same) rest(/** @type {HTMLElement} */ (parent));
}

/** Gives an element the focus that is no control: Tab goes on from there. @param {HTMLElement | SVGElement} element */
export function rest(element) {
  if (!element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1");
  element.focus({ preventScroll: true });
}

/** The controls, each with what it is, which does not change when it is made anew. @param {Element} parent */
function names(parent) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  const found = /** @type {(HTMLElement | SVGElement)[]} */ ([...parent.querySelectorAll(CONTROLS)]);
  return found.map((control) => {
    const leads = control.tagName === "A" && !control.classList.contains("button");
    const own = leads ? control.getAttribute("href") : (control.dataset.opponent ?? control.getAttribute("aria-label") ?? control.getAttribute("name"));
    // A table that may be scrolled is a control, too; its text is long and changes.
    const what = `${control.tagName} ${own ?? (control.matches("a, button, summary") ? control.textContent : "")}`;
    seen.set(what, (seen.get(what) ?? 0) + 1);
    return /** @type {const} */ ([`${what} ${seen.get(what)}`, control]);
  });
}

/** @param {Element} parent */
const scrolled = (parent) => [...parent.querySelectorAll(".scroll")];

/** @param {Element} parent */
const folded = (parent) => [...parent.querySelectorAll("details")];
