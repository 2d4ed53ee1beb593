import { createContentDetector } from '../../src/detectors/content.ts';
import { loadSeedWords } from '../../src/detectors/assets/seed-phrase.ts';
import { makeSecret, seededRandom } from '../unit/detectors/secrets/samples.ts';

const random = seededRandom(20_26);

/** Made up; none of them occurs in a source unchanged. */
export const PLANTED_SECRETS: readonly string[] = [
  'aws_access_key_id',
  'github_token',
  'openai_api_key',
  'slack_token',
  'gcp_api_key',
].map((rule) => makeSecret(rule, random).secret);

/** Personal data beside them. */
export const PLANTED: readonly string[] = [
  ...PLANTED_SECRETS,
  ['ann.lee', 'mail.example-shop.com'].join('@'),
  ['4539', '1488', '0343', '6467'].join(' '),
  ['219', '09', '9999'].join('-'),
];

await loadSeedWords();
const detector = createContentDetector({
  scanSecrets: true,
  scanPii: true,
  scanNetwork: false,
  allowedHosts: [],
});

/**
 * Returns the text in which a client or a provider would still read the planted value and the detector finds it;
 * undefined if there is none. A mutation may have turned it into something other than a secret.
 */
export function leakIn(bytes: Buffer, planted: string): string | undefined {
  for (const text of readingsOf(bytes)) {
    for (let from = text.indexOf(planted); from >= 0; from = text.indexOf(planted, from + 1)) {
      const to = from + planted.length;
      const isFound = detector.find(text).some(({ start, end }) => start < to && from < end);
      if (isFound) return text;
    }
  }
  return undefined;
}

/** Every text that some reader may make of the bytes: each JSON string, in each encoding. */
function* readingsOf(bytes: Buffer): Generator<string> {
  const documents = [bytes.toString()];
  if (bytes.includes(0)) {
    const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
    documents.push(even.toString('utf16le'), Buffer.from(even).swap16().toString('utf16le'));
    documents.push(bytes.toString('latin1').replaceAll('\0', ''));
  }
  for (const document of documents) {
    for (const [, text = ''] of document.matchAll(/"((?:[^"\\]|\\[^])*)"/g)) yield unescaped(text);
  }
}

/** Reads like the most lenient reader: an unknown escape is the letter itself. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|([^]))/g, (_, code?: string, letter = '') =>
    code === undefined
      ? (SHORT[letter as string] ?? String(letter))
      : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const SHORT: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
