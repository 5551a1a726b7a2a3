// @ts-check
// A form that takes a token or a key, and says what was wrong with it.
import { h, submitted, View } from "../view.js";
/** @import { Children } from "../view.js" */

/**
 * `onSecret` takes it; what it throws is said. Children stand below.
 * @typedef {{class: string, title: Children, name: string, label: string, act: string, autocomplete?: string,
 *   onSecret: (secret: string) => Promise<void>, children?: Children}} Props
 */

/** @extends {View<Props, {fault: string | null}>} */
export class SecretForm extends View {
  /** @type {{fault: string | null}} */
  state = { fault: null };

  render() {
    const { title, name, label, act, autocomplete = "off", onSecret, children } = this.props;
    const submit = submitted((said) => {
      this.setState({ fault: null });
      onSecret(said[name]).catch(({ message }) => this.setState({ fault: message }));
    });
    return h(
      "form",
      { class: this.props.class, onSubmit: submit },
      title,
      h("label", null, label, h("input", { type: "password", name, autocomplete, required: true, maxlength: 256 })),
      h("button", { class: "main", type: "submit" }, act),
      this.state.fault === null ? null : h("p", { class: "say bad", role: "alert" }, this.state.fault),
      children,
    );
  }
}
