import { beginsAsText } from '../detectors/secrets/encodings.ts';

/**
 * Members with Base64 bytes, or with values sealed by the provider. They contain no words, and a mask would break them.
 */
const OPAQUE_NAMES: ReadonlySet<string> = new Set([
  // Signed or encrypted by the provider, and returned to it with the next turn.
  'signature',
  'thoughtSignature',
  'thought_signature',
  'encrypted_content',
  'encrypted_index',
  'encryptedContent',
  'redactedContent',
  // Images, audio, files.
  'data',
  'bytes',
  'b64_json',
  'partial_image_b64',
  'image_base64',
  'bytesBase64Encoded',
  'videoBytes',
  'imageBytes',
  'images',
  'result',
  'blob',
  // Vectors.
  'embedding',
  'base64',
]);

/** Longer than any credential. Shorter values are searched under any name. */
const MIN_OPAQUE_CHARS = 512;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const DATA_URL = /^data:[\w.+-]{1,100}\/[\w.+-]{1,100}(?:;[\w.=+-]{1,100}){0,4};base64,/;

/**
 * Reports whether a value contains no words: a long Base64 value under a listed name, or a `data:` URL under any name.
 * Base64 of text is not opaque: a settings file may contain a secret. Not for tool arguments, whose names the model
 * chooses.
 * @param name the nearest member name above the value
 */
export function isOpaque(name: string | undefined, value: string): boolean {
  if (value.length < MIN_OPAQUE_CHARS) return false;
  const prefix = value.startsWith('data:') ? DATA_URL.exec(value.slice(0, 700))?.[0] : undefined;
  if (prefix === undefined && (name === undefined || !OPAQUE_NAMES.has(name))) return false;
  const from = prefix?.length ?? 0;
  return BASE64.test(value.slice(from)) && !beginsAsText(value, from);
}

const MAX_CHARS = 128;
/** Requires a letter: digits alone may be personal data. */
const IDENTIFIER = /^(?![^A-Za-z]*$)(?!.*:\/\/)[\w.:/-]+$/;

/**
 * Reports whether a value looks like a protocol word, a name or an id (`end_turn`, `gpt-4o`, `call_9f3`): one word, not
 * an address.
 */
export function isIdentifier(value: string): boolean {
  return value.length <= MAX_CHARS && IDENTIFIER.test(value);
}
