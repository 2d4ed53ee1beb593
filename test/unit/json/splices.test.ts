import { describe, expect, it } from 'vitest';
import { applyEdits, splicesInTurns } from '../../../src/json/edit.ts';
import type { JsonEdit } from '../../../src/json/path.ts';

const BODY = Buffer.from('{"model": "smart", "stream_options": null, "messages": ["ä", {"x": 1}], "n": 1}');

describe('splicesInTurns', () => {
  it.each<readonly [string, readonly JsonEdit[]]>([
    ['nothing', []],
    ['a replacement', [{ kind: 'set', path: ['model'], value: 'größer' }]],
    [
      'several changes',
      [
        { kind: 'set', path: ['model'], value: 'm' },
        { kind: 'set', path: ['stream_options', 'include_usage'], value: true },
        { kind: 'remove', path: ['messages', 0] },
        { kind: 'set', path: ['max_tokens'], value: 5 },
      ],
    ],
  ])('returns the replacements of applyEdits: %s', async (_what, edits) => {
    let from = 0;
    const pieces: Buffer[] = [];
    for (const { start, end, text } of await splicesInTurns(BODY, edits)) {
      pieces.push(BODY.subarray(from, start), Buffer.from(text));
      from = end;
    }
    pieces.push(BODY.subarray(from));
    expect(Buffer.concat(pieces).toString()).toBe(applyEdits(BODY, edits).toString());
  });
});
