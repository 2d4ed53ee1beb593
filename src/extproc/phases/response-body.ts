import { applyEditsInTurns } from '../../json/edit.ts';
import type { Answered, WholeAnswer } from '../../pipeline/exchange.ts';
import { readBody } from '../../answers/whole-answer.ts';
import { inTurns, ITEM_CHARS, stepsOf } from '../../turns.ts';
import type { Work } from '../../turns.ts';
import type { StreamContext } from '../context.ts';
import { decodeContent } from '../../answers/decode-content.ts';
import { localReply } from '../reply/local-reply.ts';
import { withReceipt } from '../reply/receipt.ts';
import type { ProcessingRequest, ProcessingResponse } from '../wire/messages.ts';
import { passWhole, type HeaderChanges } from '../reply/respond.ts';
import { throwDenial } from './denial.ts';
import { headerChanges } from './response-headers.ts';

/** A whole answer: decoded, read in its dialect, judged, accounted; then it may go to the client. */
export async function onResponseBody(
  context: StreamContext,
  message: ProcessingRequest,
): Promise<ProcessingResponse> {
  const { answered, run } = context;
  if (answered === undefined || run === undefined || context.progress === 'done') {
    return envoysOwn(context, message.body); // already accounted for
  }
  const headers = context.responseHeaders;
  const { body: received } = message;
  const coding = headers.get('content-encoding');
  const body = coding === undefined ? received : await decodeContent(received, coding);
  const { whole, parsed } = await wholeAnswer(body, headers.get('content-type'));
  const exchange: Answered = { ...answered, answer: { ...answered.answer, whole, complete: true } };
  context.answered = exchange;
  // What is not the dialect's JSON has no facts, and is accounted by its reservation.
  if (exchange.status >= 200 && exchange.status < 300 && parsed !== undefined) {
    await inTurns(readFacts(exchange, parsed));
  }
  throwDenial(await run.response(exchange));
  const sent = await judgedBody(whole);
  const { audited } = context.services;
  if (audited !== undefined) await audited.answer(context.knownLosses);
  context.progress = 'done';
  const changes = headerChanges(context, headers);
  return sent === received
    ? passWhole('response_body', changes)
    : passWhole('response_body', withBody(changes, sent), sent);
}

function envoysOwn(context: StreamContext, said: Buffer): ProcessingResponse {
  const answer = localReply(context, said);
  const set = withReceipt(context, context.status, answer?.headers ?? []);
  if (answer === undefined) {
    return set.length === 0
      ? { response_body: { response: {} } }
      : passWhole('response_body', { set, remove: [] });
  }
  const body = Buffer.from(answer.body);
  return passWhole('response_body', withBody({ set, remove: [] }, body), body);
}

async function wholeAnswer(
  body: Buffer,
  contentType: string | undefined,
): Promise<{ readonly whole: WholeAnswer; readonly parsed: unknown }> {
  const { parsed, json } = await readBody(body);
  return { whole: { body, contentType, json, edits: [], replacement: undefined }, parsed };
}

function* readFacts({ answer, endpoint }: Answered, parsed: unknown): Work<void> {
  const facts = yield* stepsOf(endpoint.dialect.answer, parsed);
  answer.facts = facts;
  answer.usage = facts.usage;
  for (const text of facts.texts) {
    answer.written.add(text.kind, text.text);
    yield ITEM_CHARS;
  }
}

/** The body as the checks want it. */
async function judgedBody({ body, json, edits, replacement }: WholeAnswer): Promise<Buffer> {
  if (replacement !== undefined) return replacement;
  if (edits.length === 0) return body;
  if (json === undefined) throw new Error('an answer that is no JSON was to be edited');
  return applyEditsInTurns(body, edits);
}

/** Headers that say of the provider's bytes what is not so of these. */
const OF_OTHER_BYTES = ['content-encoding', 'content-md5', 'content-digest', 'repr-digest', 'digest', 'etag'];

function withBody(changes: HeaderChanges, body: Buffer): HeaderChanges {
  return {
    set: [...changes.set, ['content-length', String(body.length)]],
    remove: [...changes.remove, ...OF_OTHER_BYTES],
  };
}
