import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { MAX_DEPTH, parseStrict } from '../../../src/json/strict-parse.ts';

function refusal(text: string | Buffer): string {
  try {
    parseStrict(Buffer.isBuffer(text) ? text : Buffer.from(text));
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError);
    if (error instanceof GatewayError && error.type === 'invalid_request') return error.message;
  }
  return 'accepted';
}

function manyNames(count: number): string {
  return `{"o":{${Array.from({ length: count }, (_, index) => `"name${index}":1`).join()}}}`;
}

describe('parseStrict', () => {
  it('reads every document as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.boolean(), (text, wrap) => {
        fc.pre(!/"\\(?:u[0-9a-f]{4}|[^u])"\s*:/.test(text)); // those are refused, see below
        const document = wrap ? `{"x":${text}}` : `[${text}]`;
        expect(parseStrict(Buffer.from(document))).toEqual(JSON.parse(document));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['{"ab":1,"\\u0061b":2}', 'ab'],
    ['{"\\u0061b":1,"ab":2}', 'ab'],
    ['{"model":"x","MODEL":"y"}', 'MODEL'],
    ['{"\\u212Aey":1,"key":2}', 'key'],
    ['{"messages":[{"role":"a"},{"role":"user","content":"s","role":"b"}]}', 'messages[1].role'],
    ['{"a":{"b":[1,[2,{"c":[],"d":{},"c":0}]]}}', 'a.b[1][1].c'],
    ['[{"":1,"":2}]', '[0].'],
    [`{"o":{${Array.from({ length: 40 }, (_, i) => `"k${i}":${i}`).join()},"k7":0}}`, 'o.k7'],
    [`{"o":{${Array.from({ length: 16 }, (_, i) => `"k${i}":${i}`).join()},"k15":0}}`, 'o.k15'],
    [`{"o":{"k0":1,"\\u006b1":2,"k1":3}}`, 'o.k1'],
  ])('refuses the duplicate in %s and names it', (text, path) => {
    expect(refusal(text)).toContain(` member ${path} twice`);
  });

  it('finds all duplicates at any depth, and only those', () => {
    const name = fc.constantFrom(
      'ab',
      'b',
      'c',
      'AB',
      '\\u0061b',
      '\\"q',
      'éé',
      '\\u00e9é',
      '1',
      '__proto__',
    );
    const object = fc.array(name, { maxLength: 24 });
    fc.assert(
      fc.property(object, fc.boolean(), (names, root) => {
        const inner = `{${names.map((key, index) => `"${key}":[${index}]`).join(' , ')}}`;
        function fold(key: string): string {
          const unescaped = String(JSON.parse(`"${key}"`));
          return root ? unescaped.toLowerCase() : unescaped;
        }
        const unique = new Set(names.map(fold)).size === names.length;
        expect(refusal(root ? inner : `[{"x":1},${inner}]`) === 'accepted').toBe(unique);
      }),
      { numRuns: 1000 },
    );
  });

  it('reads long strings with any run of escapes in them', () => {
    const piece = fc.constantFrom('\\', '"', 'x'.repeat(70), '\\\\', 'é', '{', ']');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const value = [{ a: pieces.join(''), b: 1 }, { b: 2 }];
        expect(parseStrict(Buffer.from(JSON.stringify(value)))).toEqual(value);
        const twice = `[{"a":${JSON.stringify(pieces.join(''))},"b":1,"b":2}]`;
        expect(refusal(twice)).toContain('[0].b twice');
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['\\n', '\\"', '\\\\', '\\u0061', '\\u00e9'])(
    'refuses the name "%s", which V8 may misread',
    (name) => {
      expect(refusal(`{"x":[{"${name}":1}]}`)).toContain('one escaped character');
      expect(refusal(`{"x":[{"${name}b":1}]}`)).toBe('accepted');
    },
  );

  it.each([
    ['objects', `[${'{},'.repeat(50_001)}1]`, `[${'{},'.repeat(40_000)}1]`],
    ['numbers', `[${'1,'.repeat(400_001)}1]`, `[${'1,'.repeat(390_000)}1]`],
    ['names of one object', manyNames(20_000), manyNames(10_000)],
    ['numbers with exponents', `[${'1e9,'.repeat(201_000)}1]`, `[${'1E9,'.repeat(199_000)}1]`],
    ['texts in a list', `[${'"",'.repeat(101_000)}1]`, `[${'"",'.repeat(99_000)}1]`],
    ['blanks', `[${' '.repeat(6_500_000)}1]`, `[${' '.repeat(6_300_000)}1]`],
  ])('refuses more %s than the event loop has time for', (_what, tooMany, enough) => {
    expect(refusal(tooMany)).toContain('too many values');
    expect(refusal(enough)).toBe('accepted');
  });

  it('accepts names that differ only in case below the outermost object', () => {
    expect(parseStrict(Buffer.from('{"a":{"b":1,"B":2}}'))).toEqual({ a: { b: 1, B: 2 } });
  });

  it('accepts 64 levels and refuses 65', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(refusal(nested(MAX_DEPTH))).toBe('accepted');
    expect(refusal(nested(MAX_DEPTH + 1))).toContain('nested more than 64');
    expect(refusal('{"a":'.repeat(65) + '1' + '}'.repeat(65))).toContain('nested more than 64');
  });

  it.each([
    ['an empty body', Buffer.alloc(0), 'empty'],
    ['a byte order mark', Buffer.from('\uFEFF{}'), 'byte order mark'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'UTF-8'],
    ['an overlong encoding', Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 'UTF-8'],
    ['a bare word', Buffer.from('secret-word'), 'not valid JSON'],
    ['trailing text', Buffer.from('{} secret-word'), 'not valid JSON'],
    ['duplicate names in text that is not JSON', Buffer.from('[\u0001{"a":1,"a":2}'), 'twice'],
    ['an unterminated string', Buffer.from('{"a'), 'not valid JSON'],
    ['an unterminated escape', Buffer.from('{"abc\\'), 'not valid JSON'],
    ['only closing brackets', Buffer.from(']]'), 'not valid JSON'],
  ])('refuses %s without quoting it', (_, body, reason) => {
    const message = refusal(body);
    expect(message).toContain(reason);
    expect(message).not.toContain('secret-word');
  });

  it('shows no values and only short names in its messages', () => {
    const message = refusal(`{"a":"hidden","${'n'.repeat(5000)}":1,"${'n'.repeat(5000)}":"hidden"}`);
    expect(message).not.toContain('hidden');
    expect(message.length).toBeLessThan(200);
  });

  it('refuses any bytes that are not JSON', () => {
    const noise = fc.array(fc.constantFrom(...'{}[]",:\\a1 \u0001'), { maxLength: 60 });
    fc.assert(
      fc.property(noise, (pieces) => {
        const text = pieces.join('');
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        if (!valid) expect(refusal(text)).not.toBe('accepted');
      }),
      { numRuns: 2000 },
    );
  });
});
