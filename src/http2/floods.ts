import { CODE, ConnectionError } from './frame.ts';

/** Envoy sends about one such frame per second. */
const MAX_A_SECOND = 1_000;
const WINDOW_MS = 1_000;

/** Limits frames that cause work but cost their sender nothing (RFC 9113 section 10.5). */
export class FloodGuard {
  readonly #now: () => number;
  #since = -Infinity;
  #count = 0;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @throws ConnectionError */
  count(weight = 1): void {
    const now = this.#now();
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += weight;
    if (this.#count > MAX_A_SECOND) {
      throw new ConnectionError(CODE.enhanceYourCalm, 'too many frames that carry nothing');
    }
  }
}
