/** Names, products and drugs of the kind that companies forbid in prompts. */
export const NAMES: readonly string[] = [
  ...['zanzibar', 'Zolgensma', 'Ozempic', 'fentanyl', 'Project Atlas', 'Blue-Harbor', 'X-200 Pro'],
  ...['Götterfunken', 'Müller & Söhne', 'Straßenkreuzer', 'suboxone', 'OxyContin', 'Methylphenidat'],
  ...['Falcon9', 'GPT-Titan', 'Aspirin', 'São Paulo Merger', 'Operation Nachtfalke', 'Kryptonite-7'],
  ...['Nvidia', 'ketamine', 'Lisinopril', 'heroin', 'cocaine', 'Xanax', 'Tramadol', 'Adderall', 'Wegovy'],
  ...['Humira', 'naïveté', 'Ångström', 'Łódź Plant', 'Quokka_Suite', 'Redwood City Fab', 'Delta 4'],
  ...['SuperNova', 'Mercury.io', 'Deep Thought', 'Orion', 'Ritalin', 'Codein', 'Insulin glargine'],
  ...['Vicodin', 'Bluebird', 'Phoenix', 'Skunkworks', 'Cafe Noir', 'Tylenol PM', 'Rosenkavalier AG'],
];

const CYRILLIC: Readonly<Record<string, string>> = {
  ...{ a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', x: 'х', y: 'у', i: 'і', j: 'ј', s: 'ѕ', d: 'ԁ', l: 'ӏ' },
  ...{ A: 'А', B: 'В', E: 'Е', K: 'К', M: 'М', H: 'Н', O: 'О', P: 'Р', C: 'С', T: 'Т', X: 'Х', h: 'һ' },
};
const GREEK: Readonly<Record<string, string>> = { o: 'ο', v: 'ν', A: 'Α', N: 'Ν', Z: 'Ζ', i: 'ι', a: 'α' };
const LEET: Readonly<Record<string, string>> = { a: '4', e: '3', i: '1', o: '0', s: '5', t: '7', z: '2' };
const SIGNS: Readonly<Record<string, string>> = { a: '@', s: '$', i: '!' };

function mapped(text: string, by: Readonly<Record<string, string>>): string {
  return [...text].map((letter) => by[letter] ?? by[letter.toLowerCase()] ?? letter).join('');
}

function shifted(text: string, first: RegExp, by: number): string {
  return [...text]
    .map((letter) => (first.test(letter) ? String.fromCodePoint((letter.codePointAt(0) ?? 0) + by) : letter))
    .join('');
}

function bytesOf(text: string): readonly string[] {
  return [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'));
}

/** Ways in which people disguise a name. */
export const DISGUISES: Readonly<Record<string, (name: string) => string>> = {
  'one Cyrillic letter': (name) => name.replace(/[aeopcxyijs]/, (letter) => CYRILLIC[letter] ?? letter),
  'Cyrillic letters': (name) => mapped(name, CYRILLIC),
  'Greek letters': (name) => mapped(name, GREEK),
  dots: (name) => [...name].join('.'),
  hyphens: (name) => [...name].join('-'),
  spaces: (name) => [...name].join(' '),
  underscores: (name) => [...name].join('_'),
  lines: (name) => [...name].join('\n'),
  stars: (name) => [...name].join('**'),
  'several separators': (name) => [...name].map((letter, at) => letter + '.- '.charAt(at % 3)).join(''),
  'digits for vowels': (name) => name.replace(/[aeio]/gi, (letter) => LEET[letter.toLowerCase()] ?? ''),
  leet: (name) => mapped(name, LEET),
  signs: (name) => mapped(name, SIGNS),
  capitals: (name) => name.toUpperCase(),
  Base64: (name) => Buffer.from(name).toString('base64'),
  'Base64 for addresses, unpadded': (name) => Buffer.from(name).toString('base64url'),
  'Base64 of a sentence': (name) => Buffer.from(`the plans of ${name} are`).toString('base64'),
  'Base64 of Base64': (name) => Buffer.from(Buffer.from(`on ${name}`).toString('base64')).toString('base64'),
  'Base64 in UTF-16': (name) => Buffer.from(`on ${name}.`, 'utf16le').toString('base64'),
  'Base64 behind a letter': (name) => `x${Buffer.from(`we sold ${name} off`).toString('base64')}`,
  'wrapped Base64': (name) =>
    Buffer.from(`the plans of ${name} are`).toString('base64').replace(/.{12}/g, '$&\n'),
  'hexadecimal digits': (name) => bytesOf(name).join(''),
  'hexadecimal bytes': (name) => bytesOf(name).join(' '),
  'fullwidth letters': (name) => shifted(name, /[!-~]/, 0xfee0),
  'mathematical letters': (name) => shifted(shifted(name, /[a-z]/, 0x1d41a - 97), /[A-Z]/, 0x1d400 - 65),
  'zero-width spaces': (name) => [...name].join('\u200b'),
  'soft hyphens': (name) => [...name].join('\u00ad'),
  accents: (name) => name.replace(/[aeou]/g, '$&\u0301').normalize('NFC'),
  'letters struck through': (name) => [...name].map((letter) => `${letter}\u0336`).join(''),
  'parted accents': (name) => name.normalize('NFD'),
  'percent escapes': (name) =>
    bytesOf(name)
      .map((byte) => `%${byte}`)
      .join(''),
  'escapes within escapes': (name) =>
    bytesOf(name)
      .map((byte) => `%25${byte}`)
      .join(''),
  'hexadecimal escapes': (name) =>
    bytesOf(name)
      .map((byte) => `\\x${byte}`)
      .join(''),
  'Unicode escapes': (name) =>
    [...name].map((letter) => `\\u${(letter.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`).join(''),
  'HTML entities': (name) => [...name].map((letter) => `&#${String(letter.codePointAt(0))};`).join(''),
};
