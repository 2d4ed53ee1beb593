import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeOf } from '../../../src/json/document-shape.ts';
import { parseAtOnce, parseInPieces } from '../../../src/json/parse-in-pieces.ts';
import { runNow } from '../../../src/turns.ts';

interface Read {
  /** As JSON, members in their order; undefined if the text is not JSON. */
  readonly json: string | undefined;
  readonly members: number;
}

function inPieces(text: string, pieceChars: number): Read {
  try {
    const { value, members } = runNow(parseInPieces(text, pieceChars));
    return { json: JSON.stringify(value), members };
  } catch (failure) {
    if (failure instanceof SyntaxError) return { json: undefined, members: 0 };
    throw failure;
  }
}

function whole(text: string): Read {
  try {
    const { value, members } = parseAtOnce(text);
    return { json: JSON.stringify(value), members };
  } catch {
    return { json: undefined, members: 0 };
  }
}

/** Names that are numbers come first, and `__proto__` is special. */
const NAME = fc.constantFrom('a', 'b', 'c', '', '1', '0', '__proto__', 'a b', 'é"', 'toString');
const DOCUMENT = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(1, -0.5, 1e21, true, null, '', 'a,b', '[{"', '\\"'),
    fc.array(tie('any'), { maxLength: 6 }),
    fc.array(fc.tuple(NAME, tie('any')), { maxLength: 6 }).map((members) => new Members(members)),
  ),
})).any;

/** The members of an object as written; names may repeat. */
class Members {
  readonly #members: readonly (readonly [string, unknown])[];

  constructor(members: readonly (readonly [string, unknown])[]) {
    this.#members = members;
  }

  written(gap: string): string {
    const members = this.#members.map(
      ([name, value]) => `${JSON.stringify(name)}${gap}:${written(value, gap)}`,
    );
    return `{${gap}${members.join(`${gap},`)}}`;
  }
}

function written(value: unknown, gap: string): string {
  if (value instanceof Members) return value.written(gap);
  if (Array.isArray(value)) return `[${value.map((item) => written(item, gap)).join(`,${gap}`)}${gap}]`;
  return JSON.stringify(value);
}

const TEXT = fc.tuple(DOCUMENT, fc.constantFrom('', ' ', '\n\t ')).map(([value, gap]) => written(value, gap));
const PIECE_CHARS = fc.constantFrom(1, 2, 5, 20);

describe('a document that is parsed in pieces', () => {
  it('equals the document parsed at once, at any cut', () => {
    fc.assert(
      fc.property(TEXT, PIECE_CHARS, (text, pieceChars) => {
        const once = whole(text);
        const pieces = inPieces(text, pieceChars);
        expect(pieces.json).toBe(once.json);
        // Both ways report a duplicate name, but not the same number of lost members.
        const { members } = shapeOf(text);
        expect(pieces.members === members).toBe(once.members === members);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused if parsing it at once refuses it', () => {
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      gone: fc.integer({ min: 0, max: 2 }),
      instead: fc.constantFrom('', ',', '[', ']', '{', '}', ':', '"', '1', ',,', '],['),
    });
    fc.assert(
      fc.property(TEXT, change, PIECE_CHARS, (text, { at, gone, instead }, pieceChars) => {
        const from = Math.floor(at * text.length);
        const broken = text.slice(0, from) + instead + text.slice(from + gone);
        expect(inPieces(broken, pieceChars).json).toBe(whole(broken).json);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each([
    '[1,]',
    '[1, ]',
    '[,1]',
    '[1,,2]',
    '{"a":1,}',
    '{,"a":1}',
    '[1],2',
    '[{"a":[1,]}]',
    '[1,2',
    '1,2',
    '',
  ])('is refused: %s', (text) => {
    for (const pieceChars of [0, 1, 2]) expect(inPieces(text, pieceChars).json).toBeUndefined();
  });

  it('with many members in one object is read completely', () => {
    const text = `{${Array.from({ length: 90_000 }, (_, at) => `"m${String(at)}":${String(at)}`).join(',')}}`;
    const { members, value } = runNow(parseInPieces(text));
    expect(members).toBe(90_000);
    expect(value).toEqual(JSON.parse(text));
  });
});
