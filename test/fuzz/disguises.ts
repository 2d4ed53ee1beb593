import fc, { type Arbitrary } from 'fast-check';

/** Ways to write a JSON document so that some reader still reads the same, or something close to it. */
const DISGUISES = {
  none: (json: string) => Buffer.from(json),
  'escaped letters': (json: string) => Buffer.from(inStrings(json, escapedLetters)),
  'some escaped letters': (json: string) => Buffer.from(inStrings(json, someEscapedLetters)),
  'a byte order mark': (json: string) => Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), Buffer.from(json)]),
  'UTF-16LE': (json: string) => Buffer.from(json, 'utf16le'),
  'UTF-16LE with a mark': (json: string) => Buffer.from(`\ufeff${json}`, 'utf16le'),
  'UTF-16BE with a mark': (json: string) => Buffer.from(`\ufeff${json}`, 'utf16le').swap16(),
  'UTF-32LE': (json: string) =>
    Buffer.from([...json].flatMap((letter) => [letter.codePointAt(0) ?? 0, 0, 0, 0])),
  'carriage returns': (json: string) => Buffer.from(json.replaceAll(/[,:]/g, '$&\r\n')),
  'blanks around': (json: string) => Buffer.from(`\r\n\t ${json} \r\n`),
  'blanks of Unicode around': (json: string) => Buffer.from(`\u00a0${json}\u2003`),
  'a null byte behind': (json: string) => Buffer.from(`${json}\0`),
  'a null byte before': (json: string) => Buffer.from(`\0${json}`),
  'null bytes in texts': (json: string) =>
    Buffer.from(inStrings(json, (text) => `${text.slice(0, 3)}\0${text.slice(3)}`)),
  'a second document': (json: string) => Buffer.from(`${json}${json}`),
  'a second document on its own line': (json: string) => Buffer.from(`{}\n${json}`),
  'a list around': (json: string) => Buffer.from(`[${json}]`),
  'a text around': (json: string) => Buffer.from(JSON.stringify(json)),
  comments: (json: string) => Buffer.from(`/* a */${json}// b`),
  'a comma at the end': (json: string) => Buffer.from(json.replaceAll(/[}\]]/g, ',$&')),
  'single quotes': (json: string) => Buffer.from(json.replaceAll('"', "'")),
  'names without quotes': (json: string) => Buffer.from(json.replaceAll(/"([a-z_]+)":/g, '$1:')),
  'each name twice, the right one last': (json: string) =>
    Buffer.from(json.replaceAll(/"[a-z_]+":/g, '$&0,$&')),
  'the first name twice': (json: string) => Buffer.from(json.replace(/"[a-z_]+":/, '$&"x",$&')),
  'capital names': (json: string) =>
    Buffer.from(json.replaceAll(/"[a-z_]+":/g, (name) => name.toUpperCase())),
  'the whole in a member': (json: string) => Buffer.from(`{"data":${json},${json.slice(1)}`),
  'deep nesting beside': (json: string) =>
    Buffer.from(`{"x":${'['.repeat(300)}${']'.repeat(300)},${json.slice(1)}`),
  'very deep nesting beside': (json: string) =>
    Buffer.from(`{"x":${'['.repeat(20_000)}${']'.repeat(20_000)},${json.slice(1)}`),
  'lone surrogates': (json: string) => Buffer.from(inStrings(json, (text) => `${text}\\ud83d`)),
  'invalid UTF-8': (json: string) =>
    Buffer.from(
      inStrings(json, (text) => `${text}\u00ff`),
      'latin1',
    ),
  'overlong UTF-8': (json: string) =>
    Buffer.from(
      inStrings(json, (text) => `${text}\u00c0\u00a2`),
      'latin1',
    ),
  'invisible letters': (json: string) =>
    Buffer.from(inStrings(json, (text) => text.split('').join('\u200b'))),
  'full width': (json: string) => Buffer.from(inStrings(json, fullWidth)),
} as const satisfies Readonly<Record<string, (json: string) => Buffer>>;

export type Disguise = keyof typeof DISGUISES;

export const disguises: Arbitrary<Disguise> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Disguise>('none') },
  { weight: 7, arbitrary: fc.constantFrom(...(Object.keys(DISGUISES) as Disguise[])) },
);

export function disguised(json: string, disguise: Disguise): Buffer {
  return DISGUISES[disguise](json);
}

/** Rewrites everything between quotes. */
function inStrings(json: string, write: (text: string) => string): string {
  return json.replaceAll(/"([^"\\]*)"/g, (_, text: string) => `"${write(text)}"`);
}

function escapedLetters(text: string): string {
  return [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

function someEscapedLetters(text: string): string {
  return text.replaceAll(
    /[aeiou0-4_-]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}

function fullWidth(text: string): string {
  return text.replaceAll(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
}
