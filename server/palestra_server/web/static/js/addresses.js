// @ts-check
// The addresses of this site, and going to one of them. `router.js` knows which page each of them shows.

/** The addresses. The slash at the end of a name keeps "mr.bot" from looking like a file. */
export const to = {
  /** @param {string} id @param {number} [ply] */
  match: (id, ply) => `/match/${encodeURIComponent(id)}${ply === undefined ? "" : `?ply=${ply}`}`,
  /** @param {string} id */
  embedded: (id) => `/embed/match/${encodeURIComponent(id)}`,
  /** With `against`, what the two have played against each other. @param {string} name @param {string} [against] */
  player: (name, against) => `/player/${encodeURIComponent(name)}/${against === undefined ? "" : `?${new URLSearchParams({ against })}`}`,
  /** @param {string} name */
  tournament: (name) => `/tournament/${encodeURIComponent(name)}/`,
  /** @param {string} name */
  season: (name) => `/seasons/${encodeURIComponent(name)}/`,
  /** The matches of a player in a tournament, or of two against each other. @param {string} name @param {string} a @param {string} [b] */
  matchesOf: (name, a, b) => `/tournament/${encodeURIComponent(name)}/?${new URLSearchParams({ view: "schedule", a, ...(b !== undefined && { b }) })}`,
  /** @param {"play" | "practice" | "tournament"} page @param {Record<string, string>} query */
  query: (page, query) => `/${page}?${new URLSearchParams(query)}`,
};

/** Writes the query of the address without leaving the page. @param {Record<string, string | number>} query */
export function setQuery(query) {
  const search = new URLSearchParams(/** @type {any} */ (query)).toString();
  history.replaceState(null, "", location.pathname + (search === "" ? "" : `?${search}`));
}

/** Goes to another page of this site. @param {string} address */
export function go(address) {
  history.pushState(null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
}
