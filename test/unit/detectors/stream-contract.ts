import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';
import { LOOK_BEHIND_CHARS, type Finding, type StreamDetector } from '../../../src/detectors/finding.ts';

/** Returns the findings as texts. */
export function wordsIn(detector: StreamDetector, text: string): string[] {
  return detector.find(text).map(({ start, end }) => text.slice(start, end));
}

/** Returns the part of a text that is held back. */
export function openWords(detector: StreamDetector, text: string): string {
  return text.slice(detector.openFrom(text));
}

/** Texts of pieces with a few arbitrary characters between them. */
export function textsOf(pieces: readonly string[]): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.string({ maxLength: 3 }) },
  );
  return fc.array(piece, { maxLength: 20 }).map((parts) => parts.join(''));
}

/** Checks the promises of `StreamDetector` for texts of such pieces at every cut, and at some cuts of long texts. */
export function expectStreamContract(
  detector: StreamDetector,
  pieces: readonly string[],
  { maxOpenChars }: { readonly maxOpenChars: number },
): void {
  fc.assert(
    fc.property(textsOf(pieces), fc.nat(), (text, random) => {
      const every = Array.from({ length: text.length + 1 }, (_, at) => at);
      const cuts = text.length < 60 ? every : [1, 3, 7].map((step) => (random * step) % every.length);
      expect(brokenAt(detector, text, cuts, maxOpenChars)).toEqual([]);
      expect(looksFurther(detector, text, random % every.length)).toBe(false);
    }),
    { numRuns: 300 },
  );
}

/** Returns the cuts at which the part before `openFrom` differs from the whole text, or too much is held. */
export function brokenAt(
  detector: StreamDetector,
  text: string,
  cuts: readonly number[],
  maxOpenChars: number,
): number[] {
  const whole = detector.find(text);
  return cuts.filter((at) => {
    const begun = text.slice(0, at);
    const open = detector.openFrom(begun);
    const decided = ({ end }: Finding): boolean => end <= open;
    const isOver = whole.some(({ start, end }) => start < open && open < end);
    const isSame = isDeepStrictEqual(whole.filter(decided), detector.find(begun).filter(decided));
    return isOver || !isSame || at - open > maxOpenChars || open > at;
  });
}

/** Reports whether text further before findings than a detector may look changes them. */
function looksFurther(detector: StreamDetector, text: string, from: number): boolean {
  const rest = detector.find(text.slice(from)).filter(({ start }) => start >= LOOK_BEHIND_CHARS);
  const moved = rest.map((finding) => ({
    ...finding,
    start: finding.start + from,
    end: finding.end + from,
  }));
  const expected = detector.find(text).filter(({ start }) => start >= from + LOOK_BEHIND_CHARS);
  return !isDeepStrictEqual(moved, expected);
}
