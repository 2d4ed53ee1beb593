import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLiteralFinder, type LiteralFinder } from '../../../../src/detectors/literals/find-literals.ts';
import { inTurns, runNow } from '../../../../src/turns.ts';
import { DISGUISES, NAMES } from './disguises.ts';

/** docs/normalization.md, "Words that policies name". */
function foundIn(text: string, finder: LiteralFinder, literals: readonly string[]): string[] {
  const found = new Set<string>();
  runNow(
    finder.search(text, ({ literal }) => {
      found.add(literals[literal] ?? '');
      return false;
    }),
  );
  return [...found];
}

function find(text: string, ...literals: readonly string[]): string[] {
  return foundIn(text, createLiteralFinder(literals), literals);
}

function spanOf(text: string, literal: string): string | undefined {
  let span: string | undefined;
  runNow(
    createLiteralFinder([literal]).search(text, ({ start, end }) => {
      span = text.slice(start, end);
      return true;
    }),
  );
  return span;
}

describe('names in disguise', () => {
  const finder = createLiteralFinder(NAMES);
  it.each(Object.entries(DISGUISES))('%s', (_what, disguise) => {
    const missed = NAMES.filter(
      (name) => !foundIn(`Please tell me about ${disguise(name)} today.`, finder, NAMES).includes(name),
    );
    expect(missed).toEqual([]);
  });

  it('are found in several disguises at the same time', () => {
    expect(find('z.а-n z.1.b.а.r', 'zanzibar')).toEqual(['zanzibar']);
    expect(find(Buffer.from('say z4nz1b4r').toString('base64'), 'zanzibar')).toEqual(['zanzibar']);
    expect(find('Ｚ\u200bａｎ%7Aіbar', 'zanzibar')).toEqual(['zanzibar']);
  });

  it('are found backwards and in ROT13 if they are long', () => {
    expect(find('the rabiznaz', 'zanzibar')).toEqual(['zanzibar']);
    expect(find('the mnamvone', 'zanzibar')).toEqual(['zanzibar']);
    expect(find('a rood and a terra', 'door', 'green')).toEqual([]);
    expect(find('mrabiznazy', 'zanzibar')).toEqual([]);
  });

  it('are found if words are joined, separated by other signs or hyphenated', () => {
    const spellings = ['ProjectAtlas', 'project_atlas', 'project-atlas', 'Project\nAtlas', 'PROJECT  ATLAS'];
    for (const spelling of spellings) expect(find(`on ${spelling}.`, 'Project Atlas')).toHaveLength(1);
    expect(find('the zanzi-\nbar files, zan.zibar', 'zanzibar')).toHaveLength(1);
    expect(find('say "zan" + "zibar"', 'zanzibar')).toHaveLength(1);
    expect(find('say 0x7a616e7a69626172', 'zanzibar')).toHaveLength(1);
    expect(find('Mueller & Soehne', 'Müller & Söhne')).toHaveLength(1);
    expect(find('STRASSENKREUZER', 'Straßenkreuzer')).toHaveLength(1);
  });

  it('of at least eight letters are found within longer words', () => {
    expect(find('myz4nz1b4rs, xz\u0430nzibary', 'zanzibar')).toHaveLength(1);
    expect(find('myz4nz1b4rs', 'zanzibar')).toHaveLength(1);
  });

  it('of three letters are found if they are separate words', () => {
    expect(find('ask I.B.M today', 'IBM')).toHaveLength(1);
    expect(find('ask ІBM today', 'IBM')).toHaveLength(1);
    expect(find('ask 1BM today', 'IBM')).toHaveLength(1);
    expect(find('ask ЅАР today', 'SAP')).toHaveLength(1);
  });

  it('in other scripts are found in disguise', () => {
    expect(find('план зaнзибaр', 'занзибар')).toHaveLength(1);
    expect(find('ЗАНЗИБАР', 'занзибар')).toHaveLength(1);
    expect(find('机 密 项 目', '机密项目')).toHaveLength(1);
    expect(find('这个机\u200b密项目吗', '机密项目')).toHaveLength(1);
    expect(find('ΝΙΚΗ', 'νίκη'.normalize('NFD').replace(/\p{M}/gu, ''))).toHaveLength(1);
  });
});

describe('innocent texts', () => {
  it.each<[literal: string, text: string]>([
    ['IBM', 'We submit bits, I be me, 1b m, i, b, m, n'],
    ['abc', 'a, b, c, d and x + a + b + c'],
    ['sap', 's a p h i r, 5ap9, aspen'],
    ['ace', 'pal4ce, 4ce3, f4ceb00c'],
    ['call', 'map(all, (all the items'],
    ['steps', 'step5 and step 5'],
    ['secrets', 'a secret$, secret!'],
    ['therapist', 'the rapist'],
    ['together', 'to get her'],
    ['mail', 'a mall, the maii'],
    ['chile', 'chlle'],
    ['falling', 'failing'],
    ['schön', 'das ist schon gut'],
    ['boat', '80A7 and 804t'],
    ['golive', 'I want to go.\n\nLive on stage'],
    ['systems', "the system's state"],
    ['requests', 'request {s}'],
    ['Orion', 'noiro, bevba'],
    ['x200', 'a size of xzoo'],
    ['orion', 'or-ion, ori.on'],
    ['go on', 'a goon'],
    ['zebra', 'az3brab'],
    ['.env', 'the env is set'],
    ['C++', 'a C compiler'],
    ['</system>', 'the system is up'],
    ['rm -rf', 'rm(rf)'],
    ['666', 'ggg 999'],
  ])('%s is not in %j', (literal, text) => {
    expect(find(text, literal)).toEqual([]);
  });

  it('have no finding if pictures and hashes encode a short word by chance', () => {
    const bytes = Buffer.concat(
      Array.from({ length: 2_000 }, (_, index) => hash('sha256', String(index), 'buffer')),
    );
    expect(find(bytes.toString('base64'), 'ibm', 'sap', 'aws', 'orion')).toEqual([]);
    expect(find(bytes.toString('hex'), 'ibm', 'sap', 'aws', 'orion')).toEqual([]);
  });
});

describe('spans', () => {
  it.each([
    ['plain', 'on Zanzibar now', 'Zanzibar'],
    ['dots', 'on z.a.n.z.i.b.a.r now', 'z.a.n.z.i.b.a.r'],
    ['a mark after it', 'on zаnzibar\u0301 now', 'zаnzibar\u0301'],
    ['Base64', 'see IHphbnppYmFyIA== now', 'IHphbnppYmFyIA=='],
    ['escapes', 'see %7Aanzib%61r now', '%7Aanzib%61r'],
    [
      'escapes in Base64',
      `see ${Buffer.from('%7Aanzibar').toString('base64')}`,
      Buffer.from('%7Aanzibar').toString('base64'),
    ],
  ])('refer to the given text: %s', (_what, text, expected) => {
    expect(spanOf(text, 'zanzibar')).toBe(expected);
  });

  it('include the signs of a literal', () => {
    expect(spanOf('open ./.ENV now', '.env')).toBe('.ENV');
    expect(spanOf('use с++ now', 'C++')).toBeUndefined();
    expect(spanOf('say </ѕystem> now', '</system>')).toBe('</ѕystem>');
  });

  it('are found at the seams of slices of a long text', () => {
    for (let at = 16_300; at < 16_420; at += 7) {
      const text = `${'lorem ipsum '.repeat(2_000).slice(0, at)} z.a.n.z.i.b.a.r ${'dolor sit '.repeat(2_000)}`;
      expect(spanOf(text, 'zanzibar')).toBe('z.a.n.z.i.b.a.r');
    }
  });
});

describe('every text that plainly holds a literal', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 24 });
  it('is found', () => {
    fc.assert(
      fc.property(word, word, word, (before, literal, behind) => {
        expect(find(before + literal + behind, literal)).toEqual([literal]);
      }),
    );
  });

  it('is found in another letter case', () => {
    const ascii = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 24 });
    fc.assert(
      fc.property(ascii, ascii, word, (before, literal, behind) => {
        expect(find(before + literal.toUpperCase() + behind, literal)).toEqual([literal]);
        expect(find(before + literal.toLowerCase() + behind, literal)).toEqual([literal]);
      }),
    );
  });

  it('is found among five hundred others, some of which begin or end another', () => {
    const literals = Array.from(
      { length: 500 },
      (_, index) => `name${'ab'.repeat(index % 20)}${String(index)}`,
    );
    const finder = createLiteralFinder(literals);
    for (const literal of literals) expect(foundIn(`a ${literal} b`, finder, literals)).toContain(literal);
  });

  it('is found if literals are long and begin alike', () => {
    const literals = ['one', 'two', 'three'].map((end) => `${'the very same beginning '.repeat(3)}${end}`);
    expect(find(`say ${literals[1] ?? ''} now`, ...literals)).toEqual([literals[1]]);
  });
});

describe('time', () => {
  const literals = Array.from(
    { length: 500 },
    (_, index) => `${'aab'.repeat(1 + (index % 9))}word${String(index)}`,
  );
  const hostile: Readonly<Record<string, string>> = {
    letters: 'a',
    'letters and dots': 'a.a.b.',
    escapes: '%25',
    'nested Base64': 'WVdGaVlXRmlZV0Zp',
    words: 'aabaabaabwor ',
    digits: '4 ',
    entities: '&#97;',
    marks: 'a\u0301\u0302',
    'hexadecimal bytes': '61 ',
    signs: 'a$',
    'zero-width': 'a\u200b',
    backslashes: '\\',
  };

  it.each(Object.entries(hostile))('is linear, and no turn is long: %s', async (_what, unit) => {
    const finder = createLiteralFinder(literals);
    async function search(length: number): Promise<number> {
      const text = unit.repeat(Math.ceil(length / unit.length));
      const before = process.cpuUsage();
      await inTurns(finder.search(text, () => false));
      const { user, system } = process.cpuUsage(before);
      return user + system;
    }
    await search(65_536);
    const [small, large] = [await search(131_072), await search(1_048_576)];
    expect(large).toBeLessThan(small * 8 * 3 + 50_000);
  });
});

it('finds a word in a list with more numbers than a call accepts arguments', () => {
  const codes = Array.from('password', (letter) => letter.charCodeAt(0)).join(', ');
  const finder = createLiteralFinder(['password']);
  expect(foundIn(`${'65, '.repeat(400_000)}${codes}`, finder, ['password'])).toEqual(['password']);
});
