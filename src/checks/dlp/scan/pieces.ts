/** A step of a search reads at most so many characters. */
export const PIECE_CHARS = 16_384;

/** The pieces of a text, each as long as a step may be. */
export function* piecesOf(text: string): Generator<string, void> {
  if (text.length <= PIECE_CHARS) {
    yield text;
    return;
  }
  for (let from = 0; from < text.length; from += PIECE_CHARS) yield text.slice(from, from + PIECE_CHARS);
}
