import type { Denial } from '../../pipeline/check.ts';
import type { WholeAnswer } from '../../pipeline/exchange.ts';
import type { AnswerFacts } from '../../providers/provider.ts';
import { contentKind } from './content-type.ts';
import { CLEAN } from './inspected.ts';
import type { Inspected } from './inspected.ts';
import { inspectJson } from './json-answer.ts';
import type { FindAll } from './passages.ts';
import { inspectRaw } from './raw-answer.ts';
import { unreadable } from './refusals.ts';

/** Looks through an unstreamed answer, whatever it calls itself; what cannot be read is refused. */
export function inspectAnswer(
  whole: WholeAnswer,
  facts: AnswerFacts | undefined,
  findAll: FindAll,
): Promise<Inspected> | Inspected | Denial {
  if (whole.body.length === 0) return CLEAN;
  const { isReadable } = contentKind(whole.contentType);
  if (!isReadable) return unreadable('its character set is not one that is read here');
  return whole.json === undefined ? inspectRaw(whole, findAll) : inspectJson(whole, facts, findAll);
}
