import { beginsAsText } from '../detectors/secrets/encodings.ts';

/**
 * Members of an answer or a prompt whose value is bytes in base64, or sealed by the provider: nobody reads words in
 * them, and a mask would break them.
 */
const OPAQUE_NAMES: ReadonlySet<string> = new Set([
  // What a provider signs or encrypts, and takes back with the next turn.
  'signature',
  'thoughtSignature',
  'thought_signature',
  'encrypted_content',
  'encrypted_index',
  'encryptedContent',
  'redactedContent',
  // Pictures, sounds, files.
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

/** No credential is so long; what is shorter is looked at, whatever its name. */
const MIN_OPAQUE_CHARS = 512;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const DATA_URL = /^data:[\w.+-]{1,100}\/[\w.+-]{1,100}(?:;[\w.=+-]{1,100}){0,4};base64,/;

/**
 * True for a value that holds no words: long, of nothing but base64's characters, under a name of the list, or a
 * `data:` URL of any name. Base64 of text is none: a file of settings may hold a secret. Not to be asked of what a model wrote as a tool's arguments, where it chooses the names.
 * @param name the nearest member name above the value; of an array's elements, the array's
 */
export function isOpaque(name: string | undefined, value: string): boolean {
  if (value.length < MIN_OPAQUE_CHARS) return false;
  const prefix = value.startsWith('data:') ? DATA_URL.exec(value.slice(0, 700))?.[0] : undefined;
  if (prefix === undefined && (name === undefined || !OPAQUE_NAMES.has(name))) return false;
  const from = prefix?.length ?? 0;
  return BASE64.test(value.slice(from)) && !beginsAsText(value, from);
}

const MAX_CHARS = 128;
/** With a letter in it: digits alone may be anybody's number. */
const IDENTIFIER = /^(?![^A-Za-z]*$)(?!.*:\/\/)[\w.:/-]+$/;

/**
 * Whether a value looks like a word of the protocol, a name or an id (`assistant`, `end_turn`, `gpt-4o`, `call_9f3`): one
 * word, and no address.
 */
export function isIdentifier(value: string): boolean {
  return value.length <= MAX_CHARS && IDENTIFIER.test(value);
}
