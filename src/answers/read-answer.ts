import { applyEditsInTurns } from '../json/edit.ts';
import type { Answered, WholeAnswer } from '../pipeline/exchange.ts';
import { inTurns, ITEM_CHARS, stepsOf, type Work } from '../turns.ts';
import { readJsonBody } from './whole-answer.ts';

/** An answer whose body has come. */
export interface ReadAnswer {
  readonly exchange: Answered;
  readonly whole: WholeAnswer;
  /** As in ReadBody. */
  readonly parsed: unknown;
}

/**
 * The answer of these headers, with its body.
 * @throws GatewayError upstream_unavailable where it is nested too deep
 */
export async function readAnswer(head: Answered, body: Buffer): Promise<ReadAnswer> {
  const { parsed, json } = await readJsonBody(body);
  const contentType = head.answerHeaders.get('content-type');
  const whole: WholeAnswer = { body, contentType, json, edits: [], replacement: undefined };
  return { exchange: { ...head, answer: { ...head.answer, whole, complete: true } }, whole, parsed };
}

/** Reads it in its dialect; an error, and what is not the dialect's JSON, is accounted by its reservation. */
export function readFacts({ exchange, parsed }: ReadAnswer): Answered | Promise<Answered> {
  if (exchange.status < 200 || exchange.status >= 300 || parsed === undefined) return exchange;
  return inTurns(factsRead(exchange, parsed));
}

function* factsRead(exchange: Answered, parsed: unknown): Work<Answered> {
  const { answer, endpoint } = exchange;
  const facts = yield* stepsOf(endpoint.dialect.answer, parsed);
  answer.facts = facts;
  answer.usage = facts.usage;
  for (const text of facts.texts) {
    answer.written.add(text.kind, text.text);
    yield ITEM_CHARS;
  }
  return exchange;
}

/** The body as the checks want it. */
export async function judgedBody({ body, json, edits, replacement }: WholeAnswer): Promise<Buffer> {
  if (replacement !== undefined) return replacement;
  if (edits.length === 0) return body;
  if (json === undefined) throw new Error('an answer that is no JSON was to be edited');
  return applyEditsInTurns(body, edits);
}
