// @ts-check
// The HTTP API of the server that sent this page.
import { t, told } from "./i18n.js";

/** An answer that is no success; `message` is a sentence for people. */
export class ApiError extends Error {
  /** @param {number} status @param {string} code @param {string} message @param {any[]} details */
  constructor(status, code, message, details) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Fires "refused" when the server answers that this is not for who asks. */
export const refused = new EventTarget();

/** Whether the teacher wants to see what is hidden from all others; no longer when the page is loaded anew, as on a projector. */
export const asks = { hidden: false };

/** The address of a file or a list, with what is hidden if it is asked for. @param {string} path */
export const seen = (path) => (asks.hidden ? `${path}${path.includes("?") ? "&" : "?"}hidden=show` : path);

/** @param {string} path from /api/v1, such as "/players" */
export const get = (path) => call("GET", path);

/** @param {string} path @param {any} [body] */
export const post = (path, body) => call("POST", path, body);

/**
 * @param {string} method @param {string} path @param {any} [body]
 * @returns {Promise<any>}
 */
export async function call(method, path, body) {
  /** @type {Record<string, string>} */
  const headers = {};
  // A page from elsewhere cannot set this header, so that it cannot act for whoever is signed in here.
  if (method !== "GET") headers["X-Palestra"] = "1";
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(`/api/v1${method === "GET" ? seen(path) : path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new ApiError(0, "unreachable", t("fault.unreachable"), []);
  }
  const answer = response.headers.get("Content-Type")?.startsWith("application/json") ? await response.json() : await response.text();
  if (response.ok) return answer;
  if (response.status === 401 || response.status === 403) refused.dispatchEvent(new Event("refused"));
  throw new ApiError(response.status, answer?.error ?? "error", told(answer?.error, answer?.message ?? response.statusText), answer?.details ?? []);
}
