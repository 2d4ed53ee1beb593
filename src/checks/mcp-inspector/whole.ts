import { isUtf8 } from 'node:buffer';
import { HEADER } from '../../headers.ts';
import type { JsonEdit } from '../../json/path.ts';
import { readMediaType } from '../../media-type.ts';
import { PASS, type Verdict } from '../../pipeline/check.ts';
import type { Answered, WholeAnswer } from '../../pipeline/exchange.ts';
import { isMessage } from '../../mcp/answer-shape.ts';
import type { Judge, Judgement } from './judge.ts';
import type { Leaks } from './secret-response.ts';
import { describe, isRedacted, refused } from './summary.ts';
import type { RecordJudgement } from './record.ts';

export interface AnswerDeps {
  readonly judge: Judge;
  readonly leaks: Leaks;
  readonly record: RecordJudgement;
}

/**
 * Judges a whole answer: the message that was asked for, or what a server says in place of one (an HTTP error, a word
 * after a notification), which may be JSON of any form, or text.
 */
export async function judgeWhole(exchange: Answered, deps: AnswerDeps): Promise<Verdict> {
  const { whole } = exchange.answer;
  if (whole === undefined || whole.body.length === 0) return PASS;
  const said = readWhole(exchange, whole);
  if (said === undefined) return refused('it is neither a JSON-RPC message nor a stream of them');
  const judged = await deps.judge(exchange, said);
  if ('refusal' in judged) return deps.leaks.refusal(exchange, judged);
  deps.record(exchange, judged);
  const { secrets } = judged;
  if (secrets.length > 0 && deps.leaks.action === 'quarantine') {
    return deps.leaks.denial(exchange, said, judged);
  }
  const reason = describe(judged);
  if (judged.edits.length === 0) return judged.changed.length === 0 ? PASS : { kind: 'flag', reason };
  return {
    kind: 'rewrite',
    reason,
    apply: () => change(exchange, whole, judged),
    ...(secrets.length > 0 && { enforce: () => deps.leaks.report(exchange, secrets) }),
  };
}

const ERROR_STATUS = 400;

/**
 * JSON, or the text of what is none; undefined where a message was asked for, or nobody can tell what is said. A GET asks
 * for a stream, and clients read one in whatever comes with it.
 */
export function readWhole(
  { method, request, status }: Answered,
  { json, body, contentType }: Pick<WholeAnswer, 'json' | 'body' | 'contentType'>,
): unknown {
  if (method === 'GET' && status < ERROR_STATUS) return undefined;
  // All is read as UTF-8: of what is declared to be in another alphabet, its reader would read something else.
  if (readMediaType(contentType).charset === 'other') return undefined;
  const isAskedFor = request.mcp?.kind === 'request' && status < ERROR_STATUS;
  if (isAskedFor) return isMessage(json) ? json : undefined;
  if (json !== undefined) return json;
  return isUtf8(body) ? body.toString() : undefined;
}

/** Of what is no JSON, an edit of the whole gives the new text. */
export function editWhole(whole: WholeAnswer, edits: readonly JsonEdit[]): void {
  if (whole.json === undefined) {
    const text = edits.find(({ path }) => path.length === 0);
    whole.replacement = Buffer.from(text?.kind === 'set' ? String(text.value) : '');
  } else whole.edits.push(...edits);
}

function change({ responseHeaders }: Answered, whole: WholeAnswer, judged: Judgement): void {
  editWhole(whole, judged.edits);
  if (isRedacted(judged)) responseHeaders.set(HEADER.responseRedacted, 'true');
}
