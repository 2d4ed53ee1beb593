import { assertShallow } from '../../pipeline/answer-depth.ts';
import type { AnswerFacts } from '../../providers/provider.ts';
import type { StreamContext } from '../context.ts';
import { decodeContent } from '../decode-content.ts';
import type { ProcessingRequest, ProcessingResponse } from '../proto.ts';
import { passWhole, type HeaderChanges } from '../respond.ts';
import { throwDenial } from './denial.ts';
import { headerChanges } from './response-headers.ts';

/** A whole answer: decoded, read in its dialect, judged, accounted; then it may go to the client. */
export async function onResponseBody(
  context: StreamContext,
  message: ProcessingRequest,
): Promise<ProcessingResponse> {
  const { answered, run } = context;
  if (answered === undefined || run === undefined || context.progress === 'done') {
    return { response_body: { response: {} } }; // Envoy's own reply, already accounted for
  }
  const headers = context.responseHeaders;
  const received = message.response_body?.body ?? Buffer.alloc(0);
  const coding = headers.get('content-encoding');
  const body = coding === undefined ? received : await decodeContent(received, coding);
  answered.answer.complete = true;
  if (answered.status >= 200 && answered.status < 300) readAnswer(context, body);
  throwDenial(await run.response(answered));
  context.progress = 'done';
  const changes = headerChanges(context, headers);
  return body === received
    ? passWhole('response_body', changes)
    : passWhole('response_body', withLength(changes, body), body);
}

function readAnswer(context: StreamContext, body: Buffer): void {
  const { answered } = context;
  if (answered === undefined || body.length === 0) return;
  assertShallow(body.length, () => body);
  let json: unknown;
  try {
    json = JSON.parse(body.toString());
  } catch {
    return; // not the dialect's JSON: no facts, so it is accounted by its reservation
  }
  const facts: AnswerFacts = answered.endpoint.dialect.answer(json);
  answered.answer.facts = facts;
  answered.answer.usage = facts.usage;
  for (const text of facts.texts) answered.answer.written.add(text.kind, text.text);
}

function withLength(changes: HeaderChanges, body: Buffer): HeaderChanges {
  return {
    set: [...changes.set, ['content-length', String(body.length)]],
    remove: [...changes.remove, 'content-encoding'],
  };
}
