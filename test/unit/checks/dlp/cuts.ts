/** A text in pieces of 1 to `most` characters, different for each seed. */
export function randomPieces(text: string, seed: number, most = 7): string[] {
  const pieces: string[] = [];
  let state = seed * 2654435761 + 1;
  for (let at = 0; at < text.length;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const chars = 1 + ((state >>> 16) % most);
    pieces.push(text.slice(at, at + chars));
    at += chars;
  }
  return pieces;
}

/** A text in two pieces, at every place. */
export function* everyCut(text: string): Generator<string[], void> {
  for (let at = 0; at <= text.length; at += 1) yield [text.slice(0, at), text.slice(at)];
}
