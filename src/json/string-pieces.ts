import { isHighSurrogate } from '../text/surrogates.ts';

/**
 * The JSON of a long string without its quotes, piece by piece: joined, the pieces are what `JSON.stringify` makes of the
 * whole. None ends between the two halves of a character, which would be escaped each by itself.
 * @param chars of the string that a piece stands for, at most: 2 or more
 */
export function* stringPieces(text: string, chars: number): Generator<string, void> {
  for (let from = 0; from < text.length;) {
    const most = Math.min(text.length, from + chars);
    const to = most < text.length && isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
}
