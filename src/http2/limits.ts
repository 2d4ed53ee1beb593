/** What one peer may make a connection hold; each is told to it in SETTINGS, or is far above what a peer of good will does. */
export const LIMITS = {
  /** Open at once. A peer that wants more opens another connection. */
  streams: 10_000,
  /** Octets that a peer may send on one stream before it is read on. */
  streamWindowBytes: 262_144,
  /** The same on all streams of a connection together. */
  connectionWindowBytes: 16_777_216,
  /** One block of headers, as it is sent and as it is counted when read (RFC 9113 section 6.5.2). */
  headerListBytes: 65_536,
  /** Frames that one block may be cut into. */
  continuations: 16,
  /** From the connection to the client's preface and SETTINGS. */
  greetingMs: 10_000,
  /** For what is still to be sent when a connection is ended. */
  farewellMs: 1_000,
} as const;
