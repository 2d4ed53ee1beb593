import { isHighSurrogate } from '../text/surrogates.ts';

/**
 * Yields the JSON of a long string, without its quotes, in pieces. No piece ends inside a surrogate pair, whose
 * halves would be escaped separately.
 * @param chars characters of the string per piece; at least 2
 */
export function* stringPieces(text: string, chars: number): Generator<string, void> {
  for (let from = 0; from < text.length;) {
    const most = Math.min(text.length, from + chars);
    const to = most < text.length && isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
}
