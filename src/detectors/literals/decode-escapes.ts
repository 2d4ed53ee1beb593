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

/** Decodes all escapes of URLs, programs, HTML and mail. Returns undefined if there are none. */
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
