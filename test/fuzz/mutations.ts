import fc, { type Arbitrary } from 'fast-check';

/** One change of some bytes; positions are fractions of the length. */
export type Mutation =
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'set'; readonly at: number; readonly byte: number }
  | { readonly kind: 'insert'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'remove'; readonly at: number; readonly length: number }
  | { readonly kind: 'repeat'; readonly at: number; readonly length: number; readonly times: number };

const at = fc.double({ min: 0, max: 1, noNaN: true });

/** Bytes that readers disagree about. */
const TRICKY: readonly Uint8Array[] = [
  ...['"', '\\', '\\"', '{', '}', '[', ']', ',', ':', '\\u0000', '\\ud800', '\\u0022', '//', '/*', '*/'],
  ...['\r', '\n', '\r\n', '\n\n', '\r\r', 'data:', 'data: ', 'event: error\n', ':', '\u2028', '\u0085'],
  ...['\u0000', '\ufeff', 'NaN', '-0', '1e999', '-', '.', 'null', 'true', "'", '`', '\t', '\f', '\v'],
  ...['__proto__', 'constructor', '"a":1,', '\u202e', '\u200b', '[DONE]', '%00', '${', '&', '!!js/x', '*a'],
]
  .map((text): Uint8Array => Buffer.from(text))
  .concat([
    Buffer.of(0xff),
    Buffer.of(0xfe, 0xff),
    Buffer.of(0xff, 0xfe),
    Buffer.of(0xc0, 0xa2),
    Buffer.of(0xed, 0xa0, 0x80),
    Buffer.of(0xe2, 0x82),
    Buffer.of(0xf4, 0x90, 0x80, 0x80),
    Buffer.of(0, 0, 0, 1),
  ]);

const mutation: Arbitrary<Mutation> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), at }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('set' as const), at, byte: fc.nat(255) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('insert' as const),
      at,
      bytes: fc.oneof(fc.constantFrom(...TRICKY), fc.uint8Array({ maxLength: 8 })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), at, length: fc.nat(40) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('repeat' as const),
      at,
      length: fc.integer({ min: 1, max: 40 }),
      times: fc.integer({ min: 1, max: 300 }),
    }),
  },
);

/** Up to this many changes, often none. */
export function mutations(most: number): Arbitrary<readonly Mutation[]> {
  return fc.array(mutation, { maxLength: most });
}

export function mutated(bytes: Buffer, changes: readonly Mutation[]): Buffer {
  return changes.reduce(changed, bytes);
}

function changed(bytes: Buffer, change: Mutation): Buffer {
  const place = Math.floor(change.at * bytes.length);
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
  switch (change.kind) {
    case 'cut':
      return before;
    case 'set':
      return Buffer.concat([before, Buffer.of(change.byte), after.subarray(1)]);
    case 'insert':
      return Buffer.concat([before, change.bytes, after]);
    case 'remove':
      return Buffer.concat([before, after.subarray(change.length)]);
    case 'repeat': {
      const piece = after.subarray(0, change.length);
      return Buffer.concat([before, ...Array.from({ length: change.times }, () => piece), after]);
    }
  }
}

/** Cuts bytes into pieces at fractions of their length. */
export function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => Math.floor(cut * bytes.length)))].sort((a, b) => a - b);
  return [0, ...places]
    .map((from, index) => bytes.subarray(from, places[index] ?? bytes.length))
    .filter((piece) => piece.length > 0);
}

/** Positions to cut at, for `pieces`. */
export const someCuts = fc.array(at, { maxLength: 6 });
