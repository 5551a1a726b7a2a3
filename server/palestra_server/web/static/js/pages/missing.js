// @ts-check
// An address that leads nowhere.
import { h } from "../dom.js";
import { t } from "../i18n.js";
import { emptyCard } from "../parts/empty.js";

class MissingPage extends HTMLElement {
  connectedCallback() {
    this.append(h("div", { class: "card" }, emptyCard(h("h1", null, t("page.missing")), t("page.missing.what"), ["/", t("nav.live")], ["/tournaments", t("nav.tournaments")])));
  }
}

customElements.define("page-missing", MissingPage);
