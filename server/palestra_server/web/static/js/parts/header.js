// @ts-check
// The top of every page: navigation, connection status, language and theme.
import { to } from "../addresses.js";
import { fading, h } from "../dom.js";
import { LANGUAGES, chooseLanguage, language, t } from "../i18n.js";
import { line } from "../line.js";
import { seat } from "../play_line.js";
import { session } from "../session.js";

/** @type {[string, string, RegExp][]} */
const PLACES = [
  ["/", "nav.live", /^\/($|match)/],
  ["/tournaments", "nav.tournaments", /^\/tournament/],
  ["/players", "nav.players", /^\/player/],
  ["/play", "nav.play", /^\/(play$|practice)/],
  ["/connect", "nav.connect", /^\/connect/],
  ["/teacher", "nav.teacher", /^\/teacher/],
];

/** @param {HTMLElement} main */
export function header(main) {
  const links = PLACES.map(([path, key]) => h("a", { href: path }, t(key)));
  const nav = h("nav", { "aria-label": t("nav.label") }, links);
  const state = h("span", { role: "status" });
  const who = h("a", { class: "pill", hidden: true });
  const back = h("a", { class: "pill seat", href: "/play", hidden: true }, t("seat.back"));
  const top = h(
    "header",
    { class: "top" },
    h("a", { class: "brand", href: "/" }, "Palestra"),
    nav,
    h("div", { class: "tools" }, state, back, who, languageChoice(), themeButton()),
  );

  const mark = () => {
    PLACES.forEach(([, , pattern], at) => {
      if (pattern.test(location.pathname)) links[at].setAttribute("aria-current", "page");
      else links[at].removeAttribute("aria-current");
    });
    back.hidden = seat.match === null || location.pathname === "/play";
    top.hidden = location.pathname === "/screen";
    nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
    document.title = `${t(PLACES.find(([, , pattern]) => pattern.test(location.pathname))?.[1] ?? "nav.live")} · Palestra`;
  };
  main.addEventListener("shown", mark);
  seat.addEventListener("change", mark);
  fading(nav);
  line.addEventListener("state", () => {
    state.className = line.state === "lost" ? "pill lost" : "";
    state.textContent = line.state === "lost" ? t("line.lost") : "";
  });
  session.addEventListener("change", () => {
    const { role, player } = session.now;
    who.hidden = role === "visitor";
    who.replaceChildren(h("span", null, role === "teacher" ? t("role.teacher") : (player ?? "")));
    who.setAttribute("href", role === "teacher" ? "/teacher" : to.player(player ?? ""));
  });
  return top;
}

function languageChoice() {
  const options = Object.entries(LANGUAGES).map(([tag, name]) =>
    h("option", { value: tag, selected: tag === language, lang: tag }, name),
  );
  const choice = h("select", { "aria-label": t("language") }, options);
  choice.addEventListener("change", () => chooseLanguage(choice.value));
  return choice;
}

function themeButton() {
  const dark = () =>
    (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = () => (dark() ? t("theme.light") : t("theme.dark"));
  const button = h("button", { type: "button", class: "plain" }, label());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (button.textContent = label()));
  button.addEventListener("click", () => {
    const next = dark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    localStorage.setItem("palestra-theme", next);
    button.textContent = label();
  });
  return button;
}
