import type { WholeAnswer } from '../../../pipeline/exchange.ts';
import type { Inspected } from '../inspected.ts';
import { lastUpTo } from '../../../text/ascending.ts';
import { isTurnOver, nextTurn } from '../../../turns.ts';
import { APART, createScanBatch, type FindAll } from '../scan/scan-batch.ts';

/**
 * Shortest run of printable ASCII that is words. In bytes that are no text such a run comes by chance once in ten
 * million, and then holds nothing that is looked for.
 */
const MIN_RUN_BYTES = 16;
const STEP_BYTES = 1_048_576;
const ASTERISK = 0x2a;

/** The runs of a body, joined by what no detector reads over; and where each stood. */
interface Runs {
  readonly text: string;
  /** In the text, and in the body. */
  readonly starts: readonly number[];
  readonly offsets: readonly number[];
}

/**
 * Looks at the words in pictures, sounds and files: titles, comments, and whatever only calls itself one. Bytes are
 * masked in place, since offsets and lengths run through such formats.
 */
export async function inspectBinary(whole: WholeAnswer, findAll: FindAll): Promise<Inspected> {
  const runs = await runsIn(whole.body);
  const batch = createScanBatch(findAll, 'answer');
  batch.add(runs.text);
  await batch.search();
  return {
    found: batch.found,
    mask() {
      batch.assertMaskable();
      const body = Buffer.from(whole.body);
      for (const { start, end } of batch.findingsIn(runs.text)) {
        const at = bodyOffset(runs, start);
        body.fill(ASTERISK, at, at + end - start);
      }
      return Promise.resolve(() => (whole.replacement = body));
    },
  };
}

async function runsIn(body: Buffer): Promise<Runs> {
  const parts: string[] = [];
  const starts: number[] = [];
  const offsets: number[] = [];
  let length = 0;
  let runStart = 0;
  for (let at = 0; at <= body.length; at += 1) {
    if (at % STEP_BYTES === STEP_BYTES - 1 && isTurnOver(STEP_BYTES)) await nextTurn();
    if (isPrintable(body[at])) continue;
    if (at - runStart >= MIN_RUN_BYTES) {
      parts.push(body.toString('latin1', runStart, at));
      starts.push(length);
      offsets.push(runStart);
      length += at - runStart + 1;
    }
    runStart = at + 1;
  }
  return { text: parts.join(APART), starts, offsets };
}

function isPrintable(byte: number | undefined): boolean {
  return (
    byte !== undefined && ((byte >= 0x20 && byte <= 0x7e) || byte === 0x0a || byte === 0x0d || byte === 0x09)
  );
}

function bodyOffset({ starts, offsets }: Runs, at: number): number {
  const run = Math.max(0, lastUpTo(starts, at));
  return (offsets[run] ?? 0) + at - (starts[run] ?? 0);
}
