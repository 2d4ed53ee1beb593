import { isUtf8 } from 'node:buffer';
import { readMediaType } from '../../../media-type.ts';
import type { Denial } from '../../../pipeline/check.ts';
import type { WholeAnswer } from '../../../pipeline/exchange.ts';
import type { AnswerFacts } from '../../../providers/provider.ts';
import { inspectBinary } from './binary-answer.ts';
import { CLEAN } from '../inspected.ts';
import type { Inspected } from '../inspected.ts';
import { inspectJson } from './json-answer.ts';
import type { AnswerScope } from './json-answer.ts';
import type { FindAll } from '../scan-batch.ts';
import { inspectRaw } from './raw-answer.ts';
import { unreadable } from '../refusals.ts';
import { hasWideMark, isWide } from './utf16.ts';

/** Pictures, sounds, files: bytes that are not text. */
export const BINARY =
  /^(?:audio|image|video|font|model)\/(?!svg\+xml)|^application\/(?:octet-stream|pdf|zip|gzip|x-[a-z]*zip2?|x-tar|vnd\.openxmlformats-|vnd\.ms-|msword)/;

/**
 * Looks through an unstreamed answer, whatever it calls itself; what cannot be read is refused.
 * @param scope of JSON
 */
export function inspectAnswer(
  whole: WholeAnswer,
  facts: AnswerFacts | undefined,
  findAll: FindAll,
  scope: AnswerScope = {},
): Promise<Inspected> | Inspected | Denial {
  const { body } = whole;
  if (body.length === 0) return CLEAN;
  const { essence, charset } = readMediaType(whole.contentType);
  if (charset === 'other')
    return unreadable('it is not in UTF-8, nor in any character set that is read here');
  if (whole.json !== undefined) return inspectJson(whole, facts, findAll, scope);
  const hasNul = body.includes(0);
  const isBinary = BINARY.test(essence);
  if (!hasNul && (!isBinary || isUtf8(body)) && !hasWideMark(body)) return inspectRaw(whole, findAll);
  if (!isBinary || isWide(body)) return unreadable('it is not text in UTF-8');
  return inspectBinary(whole, findAll);
}
