import { isSuccess, type Answered, type WholeAnswer } from '../pipeline/exchange.ts';
import { isUtf8 } from 'node:buffer';
import { applyEditsInTurns } from '../json/edit.ts';
import { readMediaType } from '../media-type.ts';
import { inTurns, ITEM_CHARS, stepsOf, type Work, LONG_STEP, runNow } from '../turns.ts';
import { assertParseable, hasAllMembers, readDocument } from '../json/document-shape.ts';
import { strictDocument } from './unambiguous-frame.ts';

export interface ReadAnswer {
  readonly exchange: Answered;
  readonly whole: WholeAnswer;
  readonly parsed: unknown;
}

/** @throws GatewayError upstream_unavailable if the body is too deep or has too many `NaN` or `Infinity` values */
export async function readAnswer(head: Answered, body: Buffer): Promise<ReadAnswer> {
  const contentType = head.answerHeaders.get('content-type');
  const isToBeUtf8 = readMediaType(contentType).charset === 'utf-8';
  const { parsed, json, strict = body } = await readJsonBody(body, isToBeUtf8);
  const whole: WholeAnswer = { body: strict, contentType, json, edits: [], replacement: undefined };
  return { exchange: { ...head, answer: { ...head.answer, whole, complete: true } }, whole, parsed };
}

/** Adds the facts that the endpoint's dialect reads. Errors, and bodies that are not JSON, have no facts. */
export function readFacts({ exchange, parsed }: ReadAnswer): Answered | Promise<Answered> {
  if (!isSuccess(exchange) || parsed === undefined) return exchange;
  return inTurns(factsRead(exchange, parsed));
}

function* factsRead(exchange: Answered, parsed: unknown): Work<Answered> {
  const { answer, endpoint } = exchange;
  const facts = yield* stepsOf(endpoint.dialect.answer, parsed);
  answer.facts = facts;
  answer.usage = facts.usage;
  answer.billing.add(parsed);
  answer.identity?.add(parsed);
  for (const text of facts.texts) {
    answer.written.add(text.kind, text.text);
    yield ITEM_CHARS;
  }
  return exchange;
}

export async function judgedBody({ body, json, edits, replacement }: WholeAnswer): Promise<Buffer> {
  if (replacement !== undefined) return replacement;
  if (edits.length === 0) return body;
  if (json === undefined) throw new Error('an answer that is not JSON cannot be edited');
  return applyEditsInTurns(body, edits);
}

export interface ReadBody {
  /** Undefined if the body is not JSON, or would block the event loop. */
  readonly parsed: unknown;
  /** The parsed value, if all parsers agree on it. */
  readonly json: unknown;
  /** The body as strict JSON and UTF-8, if the original was lenient. */
  readonly strict?: Buffer;
}

/** Not accounted for; checks inspect the bytes. */
const UNREAD: ReadBody = { parsed: undefined, json: undefined };

/** Longer bodies are parsed in steps. */
const LONG_BYTES = 262_144;

/** @throws GatewayError upstream_unavailable if the JSON is too deep or has too many `NaN` or `Infinity` values */
function readJsonBody(body: Buffer, isToBeUtf8: boolean): ReadBody | Promise<ReadBody> {
  const reading = readingOf(body, isToBeUtf8);
  return body.length > LONG_BYTES ? inTurns(reading) : runNow(reading);
}

/** @param isToBeUtf8 whether no other character set is declared */
export function* readingOf(body: Buffer, isToBeUtf8 = true): Work<ReadBody> {
  yield LONG_STEP;
  const text = body.toString();
  yield LONG_STEP;
  const { shape, parsed } = yield* readDocument(text, LONG_BYTES);
  if (shape.isTooDeep && /^\s*[[{]/.test(text)) assertParseable(text, shape);
  if (shape.isTooDeep || shape.isTooLarge) return UNREAD;
  if (parsed === undefined) {
    const strictText = yield* strictDocument(text);
    if (strictText === undefined) return UNREAD;
    const strict = Buffer.from(strictText);
    return { ...(yield* readingOf(strict)), strict };
  }
  yield LONG_STEP;
  const { value, members } = parsed;
  const json = hasAllMembers(shape, members) ? value : undefined;
  // Clients that skip or replace invalid UTF-8 would read different text.
  if (isUtf8(body)) return { parsed: value, json };
  return isToBeUtf8 ? { parsed: value, json, strict: Buffer.from(text) } : { parsed: value, json: undefined };
}
