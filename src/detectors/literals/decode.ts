import { isUtf8 } from 'node:buffer';
import { BASE64_LETTERS, nextRun } from '../../normalize/alphabet-runs.ts';
import { base64Byte } from '../../normalize/base64.ts';
import type { Span } from '../../text/span.ts';
import { characterOf, entities, escapedCharacter } from '../../normalize/entities.ts';
import { EditedText, type TextView } from '../../inspect/offset-map.ts';

const HEX = '[0-9a-fA-F]';
const MAY_ESCAPE = /%[0-9a-fA-Fu]|\\[xuU0-3nrt]|&[#A-Za-z]|=[0-9a-fA-F]{2}|[Uu]\+[0-9a-fA-F]|0x[0-9a-fA-F]/;
const ESCAPES = new RegExp(
  [
    `(?<bytes>(?:[%=]${HEX}{2}|\\\\x${HEX}{2}|\\\\[0-3][0-7]{2})+)`,
    `(?<units>(?:[%\\\\]u${HEX}{4})+)`,
    `\\\\u\\{${HEX}{1,6}\\}`,
    `\\\\U${HEX}{8}`,
    `&#[xX]${HEX}{1,6};?`,
    '&#[0-9]{1,7};?',
    '&(?<named>[A-Za-z]{2,24});',
    `(?:[Uu]\\+|0x)(?<listed>${HEX}{2,6})[ ,;]?`,
    '\\\\(?<control>[nrt])',
  ].join('|'),
  'g',
);

/** Decodes the escapes of URLs, source code, HTML and mail. Returns undefined if there are none. */
export function decodeEscapes(text: string): TextView | undefined {
  if (!MAY_ESCAPE.test(text)) return undefined;
  const edited = new EditedText(text);
  for (const match of text.matchAll(ESCAPES)) {
    const decoded = decodedEscape(match[0], match.groups ?? {});
    if (decoded !== undefined) edited.replace(match.index, match.index + match[0].length, decoded);
  }
  const read = edited.finish();
  return read?.text === text ? undefined : read;
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function decodedEscape(
  escape: string,
  { bytes, units, named, listed, control }: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (bytes !== undefined) return decodedBytes(bytes);
  if (units !== undefined) return fromUnits(units.match(/[0-9a-fA-F]{4}/g) ?? []);
  if (named !== undefined) return entities.get(named);
  if (control !== undefined) return CONTROLS[control];
  return listed === undefined ? escapedCharacter(escape) : characterOf(Number.parseInt(listed, 16));
}

function decodedBytes(escapes: string): string {
  const bytes = (escapes.match(/[%=x][0-9a-fA-F]{2}|\\[0-3][0-7]{2}/g) ?? []).map((escape) =>
    escape.startsWith('\\') ? Number.parseInt(escape.slice(1), 8) : Number.parseInt(escape.slice(1), 16),
  );
  const buffer = Buffer.from(bytes);
  const text = buffer.toString('utf8');
  return text.includes('\ufffd') ? buffer.toString('latin1') : text;
}

function fromUnits(units: readonly string[]): string {
  return units.map((unit) => String.fromCharCode(Number.parseInt(unit, 16))).join('');
}

interface EncodedText extends Span {
  readonly text: string;
  /** False for readable runs among other bytes. */
  readonly isWhole: boolean;
}

const SHORTEST = 6;
const BLOCK = /[A-Za-z0-9+/_-]{6,}(?:(?:\\n|\r?\n)[ \t]{0,8}[A-Za-z0-9+/_-]{2,})*={0,2}/y;
/** Shorter blocks are mostly words and are decoded only from their start. */
const LONG_BLOCK = 16;
const READABLE_RUN = /[\x20-\x7e\x80-\xff\t\r\n]{6,}/g;

/** Decodes the Base64, hexadecimal digits and lists of decimal numbers in a text. */
export function encodedTexts(text: string): readonly EncodedText[] {
  const found: EncodedText[] = [];
  addBase64Texts(text, found);
  addNumberedTexts(text, found);
  return found;
}

/** Accepts both alphabets, with or without padding and line breaks. */
function addBase64Texts(text: string, found: EncodedText[]): void {
  for (let at = nextRun(text, BASE64_LETTERS, SHORTEST, 0); at >= 0;) {
    BLOCK.lastIndex = at;
    const block = BLOCK.exec(text)?.[0] ?? '';
    addTextsInBlock(block, { start: at, end: at + block.length }, found);
    at = nextRun(text, BASE64_LETTERS, SHORTEST, at + Math.max(block.length, 1));
  }
}

function addTextsInBlock(block: string, span: Span, found: EncodedText[]): void {
  if (block.length < LONG_BLOCK) {
    const text = mayBeText(block) ? textOf(Buffer.from(block, 'base64')) : undefined;
    if (text !== undefined) found.push({ ...span, text, isWhole: true });
    return;
  }
  const letters = withoutBreaks(block);
  const lastLine = block.search(LAST_LINE);
  // The apparent last line of a block may be an ordinary word.
  const above =
    lastLine === -1 ? undefined : textOf(Buffer.from(withoutBreaks(block.slice(0, lastLine)), 'base64'));
  if (above !== undefined) found.push({ ...span, text: above, isWhole: true });
  // A preceding word or the start of a slice may shift the alignment by up to three digits.
  for (let skip = 0; skip < 4; skip += 1) {
    const bytes = Buffer.from(letters.slice(skip), 'base64');
    const text = textOf(bytes);
    if (text !== undefined) {
      found.push({ ...span, text, isWhole: true });
      return;
    }
    for (const [run] of bytes.toString('latin1').matchAll(READABLE_RUN)) {
      found.push({ ...span, text: Buffer.from(run, 'latin1').toString('utf8'), isWhole: false });
    }
  }
}

const LAST_LINE = /(?:\\n|\n)[^\n\\]*$/;

function withoutBreaks(block: string): string {
  return block.replace(/\\n|\s/g, '');
}

/** Reports whether a block may decode to text. Nearly every six-letter word has a byte that cannot be text. */
function mayBeText(block: string): boolean {
  let following = 0;
  for (let index = 0; ; index += 1) {
    const byte = base64Byte(block, index);
    if (byte === undefined) return true;
    if (byte >= 0x80 && byte < 0xc0) {
      if (following === 0) return false;
      following -= 1;
      continue;
    }
    if (following > 0 || byte === 0x7f || byte > 0xfe) return byte === 0xff && index === 0;
    if (byte < 0x20 && byte !== 0 && (byte < 9 || byte > 13)) return false;
    if (byte >= 0xfe) return index === 0;
    if (byte >= 0xc0) following = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
  }
}

const HEX_BLOCK = /(?<![0-9A-Za-z])(?:0[xX])?(?:[0-9a-fA-F]{2}[ :,-]?){2,}[0-9a-fA-F]{2}(?![0-9A-Za-z])/g;
const DECIMAL_LIST = /(?<![\d.])(?:\d{2,3}[ ,;]{1,2}){2,}\d{2,3}(?![\d.])/g;

function addNumberedTexts(text: string, found: EncodedText[]): void {
  for (const match of text.matchAll(HEX_BLOCK)) {
    const decoded = textOf(Buffer.from(match[0].replace(/^0[xX]|[^0-9a-fA-F]/g, ''), 'hex'));
    if (decoded !== undefined) found.push({ ...spanOf(match), text: decoded, isWhole: true });
  }
  for (const match of text.matchAll(DECIMAL_LIST)) {
    const numbers = match[0].split(/[ ,;]+/).map(Number);
    if (!numbers.every((number) => number >= 32 && number < 127)) continue;
    found.push({ ...spanOf(match), text: Buffer.from(numbers).toString('latin1'), isWhole: true });
  }
}

function spanOf(match: RegExpExecArray): Span {
  return { start: match.index, end: match.index + match[0].length };
}

function textOf(bytes: Buffer): string | undefined {
  if (bytes.length < 3) return undefined;
  const isWide = bytes[1] === 0 || bytes[0] === 0 || (bytes[0] ?? 0) >= 0xfe;
  if (isWide) return wideText(bytes);
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  return HAS_CONTROLS.test(text) ? undefined : text;
}

const HAS_CONTROLS = /[\x00-\x08\x0e-\x1f\x7f]/;

function wideText(bytes: Buffer): string | undefined {
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
  const isBigEndian = even[0] === 0 || even[0] === 0xfe;
  const text = (isBigEndian ? Buffer.from(even).swap16() : even).toString('utf16le').replace(/^\ufeff/, '');
  return HAS_CONTROLS.test(text) || !/^[\p{L}\p{N}\p{P}\p{S}\s]+$/u.test(text) ? undefined : text;
}
