import { isUtf8 } from 'node:buffer';
import type { Denial } from '../../../pipeline/check.ts';
import type { WholeAnswer } from '../../../pipeline/exchange.ts';
import type { AnswerFacts } from '../../../providers/provider.ts';
import { inspectBinary } from './binary-answer.ts';
import { contentKind } from './content-type.ts';
import { CLEAN } from '../inspected.ts';
import type { Inspected } from '../inspected.ts';
import { inspectJson } from './json-answer.ts';
import type { FindAll } from '../passages.ts';
import { inspectRaw } from './raw-answer.ts';
import { unreadable } from '../refusals.ts';
import { hasWideMark, isWide } from './wide-text.ts';

/** Looks through an unstreamed answer, whatever it calls itself; what cannot be read is refused. */
export function inspectAnswer(
  whole: WholeAnswer,
  facts: AnswerFacts | undefined,
  findAll: FindAll,
): Promise<Inspected> | Inspected | Denial {
  const { body } = whole;
  if (body.length === 0) return CLEAN;
  const { isBinary, isReadable } = contentKind(whole.contentType);
  if (!isReadable) return unreadable('it is not in UTF-8, nor in any character set that is read here');
  if (whole.json !== undefined) return inspectJson(whole, facts, findAll);
  const hasNul = body.includes(0);
  if (!hasNul && (!isBinary || isUtf8(body)) && !hasWideMark(body)) return inspectRaw(whole, findAll);
  if (!isBinary || isWide(body)) return unreadable('it is not text in UTF-8');
  return inspectBinary(whole, findAll);
}
