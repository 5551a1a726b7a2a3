// @ts-check
// The teacher's page: the class, the tournaments, the records.
import { copyButton, fill, h } from "../dom.js";
import { t } from "../i18n.js";
import { session, signIn, signOut } from "../session.js";
import { ClassPanel } from "../teacher/class.js";
import { TournamentsPanel } from "../teacher/tournaments.js";

class TeacherPage extends HTMLElement {
  constructor() {
    super();
    this.changed = () => this.#show();
    /** @type {{close(): void}[]} */
    this.panels = [];
    this.shown = "";
  }

  connectedCallback() {
    session.addEventListener("change", this.changed);
    this.#show();
  }

  disconnectedCallback() {
    session.removeEventListener("change", this.changed);
    for (const panel of this.panels) panel.close();
  }

  #show() {
    const { role } = session.now;
    if (role === this.shown) return;
    this.shown = role;
    for (const panel of this.panels.splice(0)) panel.close();
    if (role === "teacher") this.#showDesk();
    else this.#showDoor();
  }

  #showDoor() {
    const field = h("input", { type: "password", name: "key", autocomplete: "current-password", required: true, maxlength: 256 });
    const fault = h("p", { class: "say bad", role: "alert", hidden: true });
    const form = h(
      "form",
      { class: "card fields door" },
      h("h1", null, t("teacher.door")),
      h("p", null, t("teacher.key.where")),
      h("div", { class: "copyable" }, h("pre", { tabindex: 0 }, "cat palestra-data/teacher.key"), copyButton(() => "cat palestra-data/teacher.key", t("copy"), t("copied"))),
      h("label", null, t("teacher.key"), field),
      h("button", { class: "main", type: "submit" }, t("sign.in")),
      fault,
    );
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      fault.hidden = true;
      try {
        await signIn({ key: field.value.trim() });
        if (session.now.role !== "teacher") throw new Error(t("teacher.not"));
      } catch (error) {
        fault.hidden = false;
        fault.textContent = /** @type {Error} */ (error).message || t("fault.unreachable");
      }
    });
    fill(this, form);
  }

  #showDesk() {
    const [students, tournaments] = [new ClassPanel(), new TournamentsPanel()];
    this.panels = [students, tournaments];
    fill(
      this,
      h(
        "div",
        { class: "row apart" },
        h("h1", null, t("teacher.title")),
        h("div", { class: "row" }, h("a", { class: "button", href: "/screen" }, t("lobby.screen")), h("a", { class: "button", href: "/api/v1/export.zip", download: "" }, t("export")), h("button", { type: "button", onclick: () => signOut() }, t("sign.out"))),
      ),
      h("div", { class: "stack" }, tournaments.element, students.element),
    );
  }
}

customElements.define("page-teacher", TeacherPage);
