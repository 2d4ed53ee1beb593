import type { JsonPath } from './path.ts';
import { PathScan, skipValue } from './spans.ts';

export interface WrittenNumber {
  readonly source: string;
  /** The nearest enclosing member name. */
  readonly name: string | undefined;
  /** Valid until the next number. Computed on demand, because there may be millions of deeply nested numbers. */
  readonly path: () => JsonPath;
}

const PER_TURN = 16_384;

/** Yields numbers as written, because parsed ones may lose digits, and undefined where the caller may pause. */
export function* writtenNumbers(body: Buffer): Generator<WrittenNumber | undefined, void> {
  const scan = new PathScan(body);
  const path = (): JsonPath => scan.path();
  let steps = 0;
  for (let i = 0; i < body.length;) {
    if (++steps % PER_TURN === 0) yield undefined;
    if (isNumberStart(body[i] ?? 0)) {
      const end = skipValue(body, i);
      yield { source: body.toString('latin1', i, end), name: scan.name, path };
      i = end;
    } else i = scan.step(i);
  }
}

function isNumberStart(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
}
