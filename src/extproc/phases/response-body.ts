import { decodeContent } from '../../answers/decode-content.ts';
import { assertBody } from '../../answers/expected-form.ts';
import { judgedBody, readAnswer, readFacts } from '../../answers/read-answer.ts';
import { isSuccess } from '../../pipeline/exchange.ts';
import type { StreamContext } from '../context.ts';
import { headerChanges, withBody } from '../reply/answer-headers.ts';
import { assertCredentialInBody } from '../reply/refused-credential.ts';
import { passWhole, type PhaseReply } from '../reply/respond.ts';
import type { At } from '../state.ts';
import type { ProcessingRequest } from '../wire/messages.ts';

export async function onResponseBody(
  context: StreamContext,
  state: At<'answering'>,
  { body: received }: ProcessingRequest,
): Promise<PhaseReply> {
  const { answerHeaders } = state.exchange;
  const coding = answerHeaders.get('content-encoding');
  const body = coding === undefined ? received : await decodeContent(received, coding);
  const read = await readAnswer(state.exchange, body);
  const { exchange, whole } = read;
  context.state = { ...state, exchange };
  assertCredentialInBody(context.services, exchange);
  assertBody(read);
  await readFacts(read);
  const denial = await state.run.response(exchange);
  if (denial !== undefined) return denial;
  // A check may redirect the client to the next page of a list.
  context.status = Number(exchange.responseHeaders.get(':status') ?? context.status);
  const { aliases } = context.services;
  if (aliases !== undefined && exchange.endpoint.operation === 'models' && isSuccess(exchange)) {
    whole.edits.push(...aliases.addToList(exchange, whole.json));
  }
  const sent = await judgedBody(whole);
  const { audited } = context.services;
  if (audited !== undefined) await audited.answer(context.knownLosses);
  context.state = { ...state, exchange, at: 'answered' };
  const changes = headerChanges(context, exchange);
  return sent === received
    ? passWhole('response_body', changes)
    : passWhole('response_body', withBody(changes, sent), sent);
}
