// @ts-check
// Where the page begins.
import { loadLanguage } from "./i18n.js";
import { kept } from "./kept.js";
import { seat } from "./play_line.js";
import { App, fetchPage } from "./router.js";
import { loadSession } from "./session.js";
import { h, render } from "./view.js";

const theme = kept("theme");
if (theme !== null) document.documentElement.dataset.theme = theme;

// A page whose script did not load is reported when it is opened.
await Promise.all([loadLanguage(), fetchPage().catch(() => {})]);
document.body.replaceChildren();
render(h(App, null), document.body);
if (!location.pathname.startsWith("/embed/")) {
  await loadSession();
  if (location.pathname !== "/play") seat.resume();
}
