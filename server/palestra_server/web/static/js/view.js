// @ts-check
// What every part of the page is made of: preact's core. Text from outside only ever becomes a text node.
import { Component } from "../vendor/preact.js";

export { Component, Fragment, createPortal, createRef, h, render } from "../vendor/preact.js";

/** @typedef {import("../vendor/preact.js").ComponentChildren} Children */

/**
 * A component that listens to something while it is on the page.
 * @template [P={}] props
 * @template [S={}] state
 * @extends {Component<P, S>}
 */
export class View extends Component {
  /** @type {(() => void)[]} */
  #ends = [];

  /** Calls `end` when this leaves the page. @param {() => void} end */
  until(end) {
    this.#ends.push(end);
  }

  /**
   * Listens until this leaves the page.
   * @param {EventTarget} target @param {string} type @param {(event: any) => void} listener
   */
  hear(target, type, listener) {
    target.addEventListener(type, listener);
    this.until(() => target.removeEventListener(type, listener));
  }

  /** Draws anew, soon: many calls in a row draw once. */
  redraw() {
    this.setState({});
  }

  /** @returns {Children} */
  render() {
    return null;
  }

  componentWillUnmount() {
    for (const end of this.#ends.splice(0)) end();
  }
}
