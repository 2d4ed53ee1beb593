/** Limits of what a peer can make a connection hold. They are announced in SETTINGS or far above normal use. */
export const LIMITS = {
  /** Concurrent streams. A peer that needs more opens another connection. */
  streams: 10_000,
  /** Octets that a peer may send on one stream before they are read. */
  streamWindowBytes: 262_144,
  /** The same for all streams of a connection. */
  connectionWindowBytes: 16_777_216,
  /** Size of one header block, encoded and decoded (RFC 9113 section 6.5.2). */
  headerListBytes: 65_536,
  /** CONTINUATION frames of one block. */
  continuations: 16,
  /** From the connection to the client's preface and SETTINGS. */
  greetingMs: 15_000,
  /** For unsent data when a connection ends. */
  farewellMs: 1_000,
} as const;
