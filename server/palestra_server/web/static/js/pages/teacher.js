// @ts-check
// The teacher's page: the class, the tournaments, the records.
import { t } from "../i18n.js";
import { copyable } from "../parts/copy.js";
import { SecretForm } from "../parts/secret_form.js";
import { session, signIn, signOut } from "../session.js";
import { ClassPanel } from "../teacher/class.js";
import { KeysPanel } from "../teacher/keys.js";
import { MachinesPanel } from "../teacher/machines.js";
import { TournamentsPanel } from "../teacher/tournaments.js";
import { h, View } from "../view.js";

export default class TeacherPage extends View {
  componentDidMount() {
    this.hear(session, "change", () => this.redraw());
  }

  /** @param {string} key */
  async #signIn(key) {
    await signIn({ key });
    if (session.now.role !== "teacher") throw new Error(t("teacher.not"));
  }

  render() {
    if (session.now.role !== "teacher") {
      const title = [h("h1", null, t("teacher.door")), h("p", null, t("teacher.key.where")), copyable("cat palestra-data/teacher.key")];
      return h("page-teacher", { ref: this.root }, h(SecretForm, { class: "card fields door", title, name: "key", label: t("teacher.key"), act: t("sign.in"), autocomplete: "current-password", onSecret: (/** @type {string} */ key) => this.#signIn(key) }));
    }
    return h(
      "page-teacher",
      { ref: this.root },
      h(
        "div",
        { class: "row apart" },
        h("h1", null, t("teacher.title")),
        h("div", { class: "row" }, h("a", { class: "button", href: "/seasons" }, t("seasons")), h("a", { class: "button", href: "/screen" }, t("lobby.screen")), session.now.runs ? h("a", { class: "button", href: "/remote" }, t("remote")) : null, h("a", { class: "button", href: "/api/v1/export.zip", download: "" }, t("export")), h("button", { type: "button", onClick: signOut }, t("sign.out"))),
      ),
      session.now.runs ? null : h("p", { class: "say" }, t("teacher.reads", { name: session.now.teacher })),
      h("div", { class: "stack" }, h(TournamentsPanel, null), h(ClassPanel, null), h(KeysPanel, null), h(MachinesPanel, null)),
    );
  }
}
