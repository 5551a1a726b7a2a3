// @ts-check
// Where the page begins.
import { fill, h } from "./dom.js";
import { loadLanguage, t } from "./i18n.js";
import { header } from "./parts/header.js";
import { seat } from "./play_line.js";
import { fetchPage, route } from "./router.js";
import { loadSession } from "./session.js";

const theme = localStorage.getItem("palestra-theme");
if (theme !== null) document.documentElement.dataset.theme = theme;

// A page whose script did not load is reported when it is opened.
await Promise.all([loadLanguage(), fetchPage().catch(() => {})]);
const main = h("main", { id: "main", tabindex: -1 });
const skip = h("a", { class: "skip", href: "#main" }, t("skip"));
skip.addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
fill(document.body, skip, header(main), main);
await route(main);
await loadSession();
if (location.pathname !== "/play") seat.resume();
