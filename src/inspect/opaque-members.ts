import { beginsAsText } from '../detectors/secrets/encodings.ts';

/** Members with Base64 data or provider-sealed values, which contain no words and would break if masked. */
const OPAQUE_NAMES: ReadonlySet<string> = new Set([
  // Signed or encrypted by the provider; clients return them in the next turn.
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

/** Shorter values are always searched. */
const MIN_OPAQUE_CHARS = 512;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const DATA_URL = /^data:[\w.+-]{1,100}\/[\w.+-]{1,100}(?:;[\w.=+-]{1,100}){0,4};base64,/;

/**
 * Reports whether a value is long Base64 under a listed name, or a long Base64 `data:` URL under any name. Encoded text
 * is not opaque, because a settings file may contain a secret. Must not be used for tool arguments, whose names the
 * model chooses.
 * @param name the nearest enclosing member name
 */
export function isOpaque(name: string | undefined, value: string): boolean {
  if (value.length < MIN_OPAQUE_CHARS) return false;
  const prefix = value.startsWith('data:') ? DATA_URL.exec(value.slice(0, 700))?.[0] : undefined;
  if (prefix === undefined && (name === undefined || !OPAQUE_NAMES.has(name))) return false;
  const from = prefix?.length ?? 0;
  return BASE64.test(value.slice(from)) && !beginsAsText(value, from);
}

const MAX_CHARS = 128;
/** Requires a letter, because digits alone may be personal data. */
const IDENTIFIER = /^(?![^A-Za-z]*$)(?!.*:\/\/)[\w.:/-]+$/;

/** Reports whether a value may be a protocol word, a name or an id (`end_turn`, `gpt-4o`), and is not a URL. */
export function isIdentifier(value: string): boolean {
  return value.length <= MAX_CHARS && IDENTIFIER.test(value);
}
