// docs/sessions.md.
const MAX_BYTES = 16_384;
/** Shared by a key's anchors: up to 512 sessions keep whole ones. */
const SHARED_BYTES = 8_388_608;
/** UTF-16 units searched for secrets; more than MAX_BYTES, because masking shortens texts. */
const MAX_SEARCHED = 65_536;
/** UTF-16 units of the longest secret that the detectors know. */
const MAX_SECRET = 32_768;

/**
 * Returns the first user request as stored: secrets masked, at most 16 KiB of whole UTF-8 characters. Of a longer text
 * only the head is searched, and its last part is dropped, since a secret cut by the end would be missed.
 */
export function anchorOf(text: string, maskSecrets: (text: string) => string): string {
  const masked =
    text.length <= MAX_SEARCHED
      ? maskSecrets(text)
      : maskSecrets(text.slice(0, MAX_SEARCHED)).slice(0, -MAX_SECRET);
  return headOf(masked, MAX_BYTES);
}

/** Shortens an anchor if its key has many live sessions, which share the space. */
export function anchorAmong(anchor: string, liveSessions: number): string {
  const maxBytes = Math.floor(SHARED_BYTES / liveSessions);
  return maxBytes >= MAX_BYTES ? anchor : headOf(anchor, maxBytes);
}

/** Returns at most `maxBytes` of UTF-8 without splitting a character. */
function headOf(text: string, maxBytes: number): string {
  const bytes = new Uint8Array(maxBytes);
  const { written } = new TextEncoder().encodeInto(text, bytes);
  return Buffer.from(bytes.buffer, 0, written).toString();
}
