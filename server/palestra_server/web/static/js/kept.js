// @ts-check
// What this browser remembers of its reader; nothing where it keeps nothing, as in a frame of another site.

/** @param {string} key */
export function kept(key) {
  try {
    return localStorage.getItem(`palestra-${key}`);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value */
export function keep(key, value) {
  try {
    localStorage.setItem(`palestra-${key}`, value);
  } catch {
    // Until this page is left.
  }
}
