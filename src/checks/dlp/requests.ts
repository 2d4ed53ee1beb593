import type { Finding } from '../../detectors/finding.ts';
import { mask } from '../../detectors/mask.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { createPassages } from './passages.ts';
import type { FindAll, Found } from './passages.ts';

export interface InspectedRequest {
  readonly found: readonly Found[];
  /** Those that no edit can take out. */
  readonly unmaskable: readonly Finding[];
  readonly mask: () => void;
}

/** Looks through the texts of a request. */
export async function inspectRequest(exchange: Parsed, findAll: FindAll): Promise<InspectedRequest> {
  const { texts } = exchange.request;
  const passages = createPassages(findAll);
  for (const { text } of texts) passages.add(text);
  await passages.search();
  const hits = texts.filter(({ text }) => passages.findingsIn(text).length > 0);
  const sealed = hits.filter(({ editable }) => editable === false);
  return {
    found: passages.found,
    unmaskable: sealed.flatMap(({ text }) => passages.findingsIn(text)),
    mask() {
      const edits = hits.map(({ text, path }): JsonEdit => ({
        kind: 'set',
        path,
        value: mask(text, passages.findingsIn(text)),
      }));
      exchange.edits.push(...edits);
    },
  };
}
