// See docs/sessions.md.
const MAX_BYTES = 16_384;
/** Shared by all anchors of a key; holds 512 full ones. */
const SHARED_BYTES = 8_388_608;
/** UTF-16 code units scanned for secrets; more than MAX_BYTES, because masking shortens texts. */
const MAX_SEARCHED = 65_536;
/** Length of the longest secret that the detectors find, in UTF-16 code units. */
const MAX_SECRET = 32_768;

/**
 * Returns the first user request as stored: secrets masked, at most 16 KiB of whole UTF-8 characters. Of a long text,
 * only the head is scanned. The end of the head is dropped, because a truncated secret would be missed there.
 */
export function anchorOf(text: string, maskSecrets: (text: string) => string): string {
  const masked =
    text.length <= MAX_SEARCHED
      ? maskSecrets(text)
      : maskSecrets(text.slice(0, MAX_SEARCHED)).slice(0, -MAX_SECRET);
  return headOf(masked, MAX_BYTES);
}

/** Truncates an anchor if its key has many live sessions, which share SHARED_BYTES. */
export function anchorAmong(anchor: string, liveSessions: number): string {
  const maxBytes = Math.floor(SHARED_BYTES / liveSessions);
  return maxBytes >= MAX_BYTES ? anchor : headOf(anchor, maxBytes);
}

function headOf(text: string, maxBytes: number): string {
  const bytes = new Uint8Array(maxBytes);
  const { written } = new TextEncoder().encodeInto(text, bytes);
  return Buffer.from(bytes.buffer, 0, written).toString();
}
