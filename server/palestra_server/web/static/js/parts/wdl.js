// @ts-check
// Wins, draws and losses, each in a column of its own.
import { t } from "../i18n.js";
import { h } from "../view.js";

/** @param {(string | number)[]} counts */
export const wdl = (counts) => h("span", { class: "wdl" }, counts.map((count) => h("span", null, count, " ")));

export const wdlHead = () => wdl(t("wdl").split(" "));
