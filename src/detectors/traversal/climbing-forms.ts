/**
 * Regex sources (flag `i`) for obfuscated dots and slashes: percent-encoded (RFC 3986), overlong UTF-8 (forbidden by
 * RFC 3629 section 3), lookalikes, and JSON, source code and HTML escapes.
 */

/** Returns the source for a hexadecimal digit, plain or percent-encoded: `%%32%65` is `%2e`. */
function nibble(digit: string): string {
  const code = /\d/.test(digit) ? `3${digit}` : `[46]${String(digit.charCodeAt(0) - 96)}`;
  return `(?:${digit}|%${code})`;
}
const byte = (hex: string): string => [...hex].map(nibble).join('');

const BEFORE_BYTE = String.raw`(?:%(?:25){0,5}|\\{1,4}x|0x)`;
/** Consecutive bytes, without the prefix of the first one. */
const bytes = (...hex: readonly string[]): string => hex.map(byte).join(BEFORE_BYTE);
const anyByte = (...hex: readonly string[]): string => `(?:${hex.map(byte).join('|')})`;

/**
 * Returns the source for an ASCII byte as two to six UTF-8 bytes: lead and fillers, the two highest bits, the six
 * lowest bits.
 */
function overlongForms(high: '0' | '1', low: readonly string[]): string {
  const fillers = ['e0', 'f0 80', 'f8 80 80', 'fc 80 80 80'].map((lead) =>
    bytes(...lead.split(' '), `8${high}`),
  );
  return `(?:${[byte(`c${high}`), ...fillers].join('|')})${BEFORE_BYTE}${anyByte(...low)}`;
}

interface Forms {
  /** ASCII code in hexadecimal. */
  readonly ascii: string;
  /** Last bytes of an overlong form; lenient decoders ignore their high bits. */
  readonly overlong: readonly string[];
  readonly octal: string;
  readonly lookalikes: string;
  readonly name: string;
}

function obfuscated({ ascii, overlong: low, octal, lookalikes, name }: Forms): string {
  const high = ascii >= '40' ? '1' : '0';
  const encoded = [...lookalikes].map((character) =>
    bytes(...(Buffer.from(character).toString('hex').match(/../g) ?? [])),
  );
  const units = [...lookalikes].map((character) => character.charCodeAt(0).toString(16));
  return [
    `${BEFORE_BYTE}(?:${[byte(ascii), overlongForms(high, low), ...encoded].join('|')})`,
    String.raw`(?:\\{1,4}u|%(?:25){0,5}u|&#x0{0,6})(?:${[`00${ascii}`, ascii, ...units].join('|')});?`,
    String.raw`\\{1,4}(?:u\{0{0,4}${ascii}\}|0?${octal}(?!\d))`,
    String.raw`&(?:#0{0,6}${String(parseInt(ascii, 16))}|${name});?`,
    `[${lookalikes}]`,
    Buffer.from([high === '1' ? 0xc1 : 0xc0, parseInt(low[0] ?? '', 16)]).toString('latin1'),
  ].join('|');
}

export const DOT = String.raw`(?:\.|${obfuscated({
  ascii: '2e',
  overlong: ['ae', '2e', '6e', 'ee'],
  octal: '56',
  lookalikes: '\uff0e\u2024\ufe52',
  name: 'period',
})})`;

const OBFUSCATED_SLASH = obfuscated({
  ascii: '2f',
  overlong: ['af', '2f', '6f', 'ef'],
  octal: '57',
  lookalikes: '\uff0f\u2044\u2215\u29f8',
  name: 'sol',
});
const OBFUSCATED_BACKSLASH = obfuscated({
  ascii: '5c',
  overlong: ['9c', '1c'],
  octal: '134',
  lookalikes: '\uff3c\u2216\ufe68',
  name: 'bsol',
});
/** A backslash that begins none of the escapes above. */
const BACKSLASH = String.raw`\\(?!\\{0,3}(?:u(?:00(?:2[ef]|5c)|\{|ff0[ef]|ff3c|20[24]4|221[56]|fe[56][28])|x(?:2[ef]|5c|c[01]|e[02f]|f[08c])|0?5[67](?!\d)|134(?!\d)))`;

/** `/` or `\` in every form. Source code doubles them, and extra slashes do not change a path. */
export const SLASH = String.raw`(?:(?:\/|${BACKSLASH}){1,4}|${OBFUSCATED_SLASH}|${OBFUSCATED_BACKSLASH}|${BEFORE_BYTE}${bytes('c0', '5c')})`;
