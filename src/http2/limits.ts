/** Bounds of a peer's use of memory. Announced in SETTINGS, or far above normal use. */
export const LIMITS = {
  /** A peer that needs more streams opens another connection. */
  streams: 10_000,
  /** Octets of one stream that are sent before earlier ones are read. */
  streamWindowBytes: 262_144,
  /** The same for all streams of a connection. */
  connectionWindowBytes: 16_777_216,
  /** One header block, encoded and decoded (RFC 9113 section 6.5.2). */
  headerListBytes: 65_536,
  /** CONTINUATION frames of one block. */
  continuations: 16,
  /** Time for the client's preface and SETTINGS. */
  greetingMs: 15_000,
  /** Time for unsent data when a connection ends. */
  farewellMs: 1_000,
} as const;
