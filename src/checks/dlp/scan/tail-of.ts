/** From a longer text's slice the engine goes back to all of that text, which then stays in memory. */
const LONG_TEXT_CHARS = 4096;

/** What follows an offset of a text, without keeping the rest of it in memory. */
export function tailOf(text: string, from: number): string {
  if (from >= text.length) return '';
  const tail = text.slice(from);
  return from > LONG_TEXT_CHARS ? Buffer.from(tail, 'utf16le').toString('utf16le') : tail;
}
