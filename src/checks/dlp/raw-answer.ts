import { isUtf8 } from 'node:buffer';
import { mask } from '../../detectors/mask.ts';
import type { WholeAnswer } from '../../pipeline/exchange.ts';
import type { Inspected } from './inspected.ts';
import { createPassages } from './passages.ts';
import type { FindAll } from './passages.ts';

/** Looks at a body that is no readable JSON: as it stands. */
export async function inspectRaw(whole: WholeAnswer, findAll: FindAll): Promise<Inspected> {
  const encoding = isUtf8(whole.body) ? 'utf8' : 'latin1';
  const text = whole.body.toString(encoding);
  const passages = createPassages(findAll);
  passages.add(text);
  await passages.search();
  return {
    found: passages.found,
    mask() {
      whole.replacement = Buffer.from(mask(text, passages.findingsIn(text)), encoding);
    },
  };
}
