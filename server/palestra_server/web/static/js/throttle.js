// @ts-check
// Asking the server again after news that many pages get at once: seldom, and not all in the same moment.

/** Calls `work` soon after `ask`, but not twice within `apart_ms`; news in between are answered by the one call. */
export class Throttle {
  /** @param {() => void} work @param {{soon_ms: number, apart_ms: number}} pauses */
  constructor(work, { soon_ms, apart_ms }) {
    this.work = work;
    this.soon_ms = soon_ms;
    this.apart_ms = apart_ms;
    this.timer = 0;
    this.free_at = 0;
  }

  ask() {
    // At random, since hundreds of pages hear of the same result: between half and one and a half of the pause.
    const soon_ms = this.soon_ms * (0.5 + Math.random());
    this.timer ||= setTimeout(() => {
      this.timer = 0;
      this.free_at = performance.now() + this.apart_ms;
      this.work();
    }, Math.max(soon_ms, this.free_at - performance.now() + soon_ms));
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
  }
}
