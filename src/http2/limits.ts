import { CODE, ConnectionError } from './frame.ts';

/** Limits on a peer's memory use: announced in SETTINGS, or far above normal use. */
export const LIMITS = {
  /** A peer that needs more streams must open another connection. */
  streams: 10_000,
  /** Receive window of each stream, in octets. */
  streamWindowBytes: 262_144,
  /** Receive window shared by all streams of a connection, in octets. */
  connectionWindowBytes: 16_777_216,
  /** Maximum size of a header block, both encoded and decoded (RFC 9113 section 6.5.2). */
  headerListBytes: 65_536,
  /** Maximum number of frames per header block: HEADERS and CONTINUATION. */
  continuations: 16,
  /** Maximum wait for the client's preface and SETTINGS. */
  greetingMs: 15_000,
  /** Maximum time to send the remaining data when a connection ends. */
  farewellMs: 1_000,
} as const;

/** Maximum weight of the counted frames per second. Envoy sends about one such frame per second. */
const MAX_PER_SECOND = 1_000;
const WINDOW_MS = 1_000;

/** Limits frames that are cheap for the sender (RFC 9113 section 10.5). */
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
