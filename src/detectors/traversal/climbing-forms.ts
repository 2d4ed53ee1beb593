/**
 * Pattern sources (flag `i`) for disguised dots and slashes: percent-encoded (RFC 3986), overlong UTF-8 (forbidden by
 * RFC 3629 section 3), lookalikes, and escapes of JSON, source code and HTML.
 */

/** A hexadecimal digit, plain or percent-encoded: `%%32%65` is `%2e`. */
function nibble(digit: string): string {
  const code = /\d/.test(digit) ? `3${digit}` : `[46]${String(digit.charCodeAt(0) - 96)}`;
  return `(?:${digit}|%${code})`;
}
const byte = (hex: string): string => [...hex].map(nibble).join('');

const BEFORE_BYTE = String.raw`(?:%(?:25){0,5}|\\{1,4}x|0x)`;
/** Consecutive bytes, without the prefix of the first. */
const bytes = (...hex: readonly string[]): string => hex.map(byte).join(BEFORE_BYTE);
const anyByte = (...hex: readonly string[]): string => `(?:${hex.map(byte).join('|')})`;

/** Returns an ASCII byte in two to six bytes of UTF-8: lead and fillers, the two highest bits, the six lowest. */
function overlongForms(high: '0' | '1', low: readonly string[]): string {
  const fillers = ['e0', 'f0 80', 'f8 80 80', 'fc 80 80 80'].map((lead) =>
    bytes(...lead.split(' '), `8${high}`),
  );
  return `(?:${[byte(`c${high}`), ...fillers].join('|')})${BEFORE_BYTE}${anyByte(...low)}`;
}

interface Forms {
  /** ASCII code in hexadecimal. */
  readonly ascii: string;
  /** Last byte of an overlong form; lenient decoders ignore its high bits. */
  readonly overlong: readonly string[];
  readonly octal: string;
  readonly alike: string;
  readonly name: string;
}

function disguised({ ascii, overlong: low, octal, alike, name }: Forms): string {
  const high = ascii >= '40' ? '1' : '0';
  const encoded = [...alike].map((character) =>
    bytes(...(Buffer.from(character).toString('hex').match(/../g) ?? [])),
  );
  const units = [...alike].map((character) => character.charCodeAt(0).toString(16));
  return [
    `${BEFORE_BYTE}(?:${[byte(ascii), overlongForms(high, low), ...encoded].join('|')})`,
    String.raw`(?:\\{1,4}u|%(?:25){0,5}u|&#x0{0,6})(?:${[`00${ascii}`, ascii, ...units].join('|')});?`,
    String.raw`\\{1,4}(?:u\{0{0,4}${ascii}\}|0?${octal}(?!\d))`,
    String.raw`&(?:#0{0,6}${String(parseInt(ascii, 16))}|${name});?`,
    `[${alike}]`,
    Buffer.from([high === '1' ? 0xc1 : 0xc0, parseInt(low[0] ?? '', 16)]).toString('latin1'),
  ].join('|');
}

export const DOT = String.raw`(?:\.|${disguised({
  ascii: '2e',
  overlong: ['ae', '2e', '6e', 'ee'],
  octal: '56',
  alike: '\uff0e\u2024\ufe52',
  name: 'period',
})})`;

const DISGUISED_SLASH = disguised({
  ascii: '2f',
  overlong: ['af', '2f', '6f', 'ef'],
  octal: '57',
  alike: '\uff0f\u2044\u2215\u29f8',
  name: 'sol',
});
const DISGUISED_BACKSLASH = disguised({
  ascii: '5c',
  overlong: ['9c', '1c'],
  octal: '134',
  alike: '\uff3c\u2216\ufe68',
  name: 'bsol',
});
/** A backslash that begins none of the escapes above. */
const BACKSLASH = String.raw`\\(?!\\{0,3}(?:u(?:00(?:2[ef]|5c)|\{|ff0[ef]|ff3c|20[24]4|221[56]|fe[56][28])|x(?:2[ef]|5c|c[01]|e[02f]|f[08c])|0?5[67](?!\d)|134(?!\d)))`;

/** `/` or `\` in every form. Source code doubles them, and extra slashes do not change a path. */
export const SLASH = String.raw`(?:(?:\/|${BACKSLASH}){1,4}|${DISGUISED_SLASH}|${DISGUISED_BACKSLASH}|${BEFORE_BYTE}${bytes('c0', '5c')})`;
