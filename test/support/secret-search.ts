/** Shorter fragments would be found by chance. */
const FRAGMENT_CHARS = 16;

/** A secret that a test has sent, and every form in which it might reappear. */
export interface Marked {
  readonly name: string;
  readonly forms: readonly string[];
}

/**
 * Identifies a secret by a piece from its middle, so that half a secret is found too: plain, in base64 at each
 * alignment, percent-encoded throughout, and in hex.
 */
export function mark(name: string, secret: string): Marked {
  const start = Math.max(0, (secret.length - FRAGMENT_CHARS) >> 1);
  const piece = secret.slice(start, start + FRAGMENT_CHARS);
  const bytes = Buffer.from(piece);
  const percent = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const forms = [piece, encodeURIComponent(piece), percent, bytes.toString('hex')];
  return { name, forms: [...new Set([...forms, ...base64Forms(bytes)].map(folded))] };
}

/** The names of the secrets in the text, in any form. */
export function found(secrets: readonly Marked[], text: string): string[] {
  const seen = folded(text);
  return secrets.filter(({ forms }) => forms.some((form) => seen.includes(form))).map(({ name }) => name);
}

/** Hex and percent-encoding have two cases, base64 two alphabets. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll('-', '+').replaceAll('_', '/');
}

/** The part of a piece's base64 that does not depend on its neighbours, for each of its three alignments. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const first = Math.ceil((offset * 8) / 6);
    return text.slice(first, Math.floor(((offset + bytes.length) * 8) / 6));
  });
}
