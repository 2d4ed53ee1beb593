import { CODE, ConnectionError } from './frame.ts';

/** Limits of a peer's memory use, announced in SETTINGS or far above normal use. */
export const LIMITS = {
  /** A peer that needs more streams must open another connection. */
  streams: 10_000,
  /** Unread octets of one stream. */
  streamWindowBytes: 262_144,
  /** Shared by all streams of a connection. */
  connectionWindowBytes: 16_777_216,
  /** One header block, encoded and decoded (RFC 9113 section 6.5.2). */
  headerListBytes: 65_536,
  /** CONTINUATION frames of one block. */
  continuations: 16,
  /** Time for the client's preface and SETTINGS. */
  greetingMs: 15_000,
  /** Time for sending the remaining data when a connection ends. */
  farewellMs: 1_000,
} as const;

/** Envoy sends about one such frame per second. */
const MAX_PER_SECOND = 1_000;
const WINDOW_MS = 1_000;

/** Limits frames that cost their sender little (RFC 9113 section 10.5). */
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
    if (this.#count > MAX_PER_SECOND) {
      throw new ConnectionError(CODE.enhanceYourCalm, 'too many frames without content');
    }
  }
}
