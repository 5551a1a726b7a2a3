// @ts-check
// The commands with which a bot comes to this server.
import { t } from "../i18n.js";

/** @typedef {import("../types.js").About | null} About */

/** @param {About} server null while nothing is known of it */
export const installing = (server) => server?.install ?? "pip install palestra-client";

/**
 * Where a bot connects, and the option that says whose it is.
 * @param {About} server @param {string} token "" if it is not known @param {boolean} guest whether a name is enough
 */
export function connection(server, token, guest) {
  const { protocol, host, hostname, port } = location;
  const address = protocol === "https:" ? `wss://${host}/play` : `ws://${hostname}:${server?.port ?? port}/play`;
  return { address, who: guest ? `--name ${t("name.placeholder")}` : `--token ${token || t("token.placeholder")}` };
}
