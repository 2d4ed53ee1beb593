import type { Found } from '../../../../src/inspect/inspected.ts';
import type { ChannelScanner } from '../../../../src/inspect/scan/text-scanner.ts';

/** A scanner's output after each piece of a text and at its end, and its findings. */
export function scanPieces(
  scanner: ChannelScanner,
  pieces: Iterable<string>,
): { readonly pieces: string[]; readonly text: string; readonly found: Found[] } {
  const { buffer } = scanner;
  const out: string[] = [];
  const found: Found[] = [];
  for (const piece of pieces) {
    found.push(...scanner.push(piece));
    out.push(buffer.take(buffer.settled));
  }
  found.push(...scanner.finish());
  out.push(buffer.take(buffer.settled));
  return { pieces: out, text: out.join(''), found };
}
