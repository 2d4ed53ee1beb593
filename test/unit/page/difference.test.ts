import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { difference, readableJson } from '../../../page/difference.ts';

describe('the difference of two definitions', () => {
  it('shows removals and additions between unchanged lines', () => {
    expect(difference('a\nb\nc', 'a\nx\nc')).toEqual([
      { kind: 'same', text: 'a' },
      { kind: 'removed', text: 'b' },
      { kind: 'added', text: 'x' },
      { kind: 'same', text: 'c' },
    ]);
  });

  it('contains both texts, for any content', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = difference(before, after);
        const without = (kind: string): string =>
          lines
            .filter((line) => line.kind !== kind)
            .map((line) => line.text)
            .join('\n');
        expect([without('added'), without('removed')]).toEqual([before, after]);
        if (before === after) expect(lines.every(({ kind }) => kind === 'same')).toBe(true);
      }),
    );
  });

  it('does not compare texts of many thousand lines line by line', () => {
    const long = 'line\n'.repeat(50_000);
    expect(difference(long, `${long}x`).length).toBe(100_002);
  });

  it('sorts members, so that their order makes no difference', () => {
    expect(readableJson('{"b":{"d":1,"c":[2]},"a":0}')).toBe(readableJson('{"a":0,"b":{"c":[2],"d":1}}'));
    expect(readableJson('not JSON')).toBe('not JSON');
  });

  it('puts lines of a text below each other, and shows invisible characters', () => {
    const definition = JSON.stringify({ description: 'Reads.\nA\u200bB \u{e0041} C:\\new' });
    expect(readableJson(definition)).toBe(
      '{\n  "description": "Reads.\\n\n      A\\u{200B}B \\u{E0041} C:\\\\new"\n}',
    );
  });
});
