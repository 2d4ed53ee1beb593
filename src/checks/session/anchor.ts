/** docs/sessions.md. */
const MAX_BYTES = 16_384;
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
  const bytes = new Uint8Array(MAX_BYTES);
  const { written } = new TextEncoder().encodeInto(masked, bytes);
  return Buffer.from(bytes.buffer, 0, written).toString();
}
