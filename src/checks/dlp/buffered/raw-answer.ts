import { isUtf8 } from 'node:buffer';
import { unescaped } from '../../../detectors/secrets/unescaped-view.ts';
import type { TextView } from '../../../detectors/secrets/unescaped-view.ts';
import type { WholeAnswer } from '../../../pipeline/exchange.ts';
import type { Inspected } from '../inspected.ts';
import { inTurns } from '../../../turns.ts';
import { assertMaskable } from '../masked-places.ts';
import type { FindAll } from '../scan-batch.ts';
import { createScanBatch } from './search-batch.ts';
import { maskRaw } from './mask-raw.ts';

/** A JSON text in a JSON string is escaped twice; deeper is not looked. */
const ESCAPE_LEVELS = 2;
const STEP_CHARS = 32_768;

/**
 * Looks at a body that is text, and no JSON that reads the same to everybody: as it stands, and with the escapes of
 * its strings read. What is not UTF-8 is read byte by byte, so that whatever is not masked stays as it was.
 */
export async function inspectRaw(whole: WholeAnswer, findAll: FindAll): Promise<Inspected> {
  const encoding = isUtf8(whole.body) ? 'utf8' : 'latin1';
  const text = whole.body.toString(encoding);
  const views = await viewsOf(text);
  const batch = createScanBatch(findAll, 'answer');
  for (const view of views) batch.add(view.text);
  await batch.search();
  return {
    found: batch.found,
    async mask() {
      assertMaskable(batch, 'answer');
      const spans = views.flatMap((view) =>
        batch
          .findingsIn(view.text)
          .map(({ start, end }) => ({ start: view.toGiven(start), end: view.toGiven(end) })),
      );
      const masked = Buffer.from(await maskRaw(text, spans), encoding);
      return () => (whole.replacement = masked);
    },
  };
}

/** A text, and the same as readers of one and of two levels of JSON's escapes see it. */
async function viewsOf(text: string): Promise<readonly TextView[]> {
  const views: TextView[] = [{ text, toGiven: (at) => at }];
  for (let last = views[0]; last !== undefined && views.length <= ESCAPE_LEVELS;) {
    const { toGiven } = last;
    const view = await inTurns(unescaped(last.text, STEP_CHARS));
    last = view && { text: view.text, toGiven: (at) => toGiven(view.toGiven(at)) };
    if (last !== undefined) views.push(last);
  }
  return views;
}
