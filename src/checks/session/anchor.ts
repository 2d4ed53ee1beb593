/** docs/sessions.md. */
const MAX_BYTES = 16_384;
/** What the anchors of a key share: up to 512 sessions have whole ones. */
const SHARED_BYTES = 8_388_608;
/** UTF-16 units that are searched for secrets, at most: what masking takes away, later text fills up. */
const MAX_SEARCHED = 65_536;
/** UTF-16 units; the detectors know of no longer secret. */
const MAX_SECRET = 32_768;

/**
 * The first user request as it is stored: secrets masked, at most 16 KiB of UTF-8, no character cut. Of a longer
 * text only the head is searched, so a secret that its end cuts in two would go unseen: what lies so close to it is
 * left out.
 */
export function anchorOf(text: string, maskSecrets: (text: string) => string): string {
  const masked =
    text.length <= MAX_SEARCHED
      ? maskSecrets(text)
      : maskSecrets(text.slice(0, MAX_SEARCHED)).slice(0, -MAX_SECRET);
  return headOf(masked, MAX_BYTES);
}

/** An anchor as it is kept for a key that has so many live sessions: the more there are, the less of each. */
export function anchorAmong(anchor: string, liveSessions: number): string {
  const maxBytes = Math.floor(SHARED_BYTES / liveSessions);
  return maxBytes >= MAX_BYTES ? anchor : headOf(anchor, maxBytes);
}

/** At most so many bytes of UTF-8, no character cut. */
function headOf(text: string, maxBytes: number): string {
  const bytes = new Uint8Array(maxBytes);
  const { written } = new TextEncoder().encodeInto(text, bytes);
  return Buffer.from(bytes.buffer, 0, written).toString();
}
