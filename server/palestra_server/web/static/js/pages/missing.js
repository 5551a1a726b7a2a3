// @ts-check
// An address that leads nowhere.
import { t } from "../i18n.js";
import { emptyCard } from "../parts/empty.js";
import { h, View } from "../view.js";

export default class MissingPage extends View {
  render() {
    return h("page-missing", { ref: this.root }, h("div", { class: "card" }, emptyCard(h("h1", null, t("page.missing")), t("page.missing.what"), ["/", t("nav.live")], ["/tournaments", t("nav.tournaments")])));
  }
}
