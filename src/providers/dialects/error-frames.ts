import { arrayOf, objectOf } from './fields.ts';
import { ERROR_STATUS, mayRetry, type Refusal } from '../../errors.ts';
import type { CutPayload } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';

/*
 * Payloads that make clients report a cut stream as an error. Each is tested with real clients
 * (docs/clients/streams.md). Except for Bedrock, the first payload begins with `error`, because several clients detect
 * errors by the bytes `{"error":`. If clients need different values of `type`, the error is sent twice, once with each
 * value.
 */

/** The gateway's own error shape, for streams of unknown dialect. Ollama clients also read `error`. */
export function plainCut({ type, message }: Refusal): readonly CutPayload[] {
  return [{ json: { error: message, type } }];
}

/**
 * OpenAI clients throw on an `error` member, but some ignore it in chunks that also contain `choices`. Some read
 * `code` as an HTTP status and use it to decide whether to retry. For clients that skip everything but chunks, a
 * chunk with OpenAI's finish reason for withheld answers follows.
 */
export function choicesCut({ type, message }: Refusal, last: JsonObject): readonly CutPayload[] {
  const isChat = last.object !== 'text_completion';
  const chunk = {
    ...{ id: '', object: isChat ? 'chat.completion.chunk' : 'text_completion', created: 0, model: '' },
    choices: indexesOf(last).map((index) => ({
      index,
      ...(isChat ? { delta: {} } : { text: '' }),
      finish_reason: 'content_filter',
    })),
    type,
  };
  return [{ json: { error: openaiError(type, message), type } }, { json: chunk }];
}

const MAX_CHOICES = 128;

/** Returns only the choice indexes of a chunk, because its content may be the reason for the cut. */
function indexesOf({ choices }: JsonObject): readonly number[] {
  const indexes = arrayOf(choices)
    .slice(0, MAX_CHOICES)
    .map((choice) => numberOr(objectOf(choice).index, 0))
    .filter((index) => Number.isInteger(index) && index >= 0 && index < MAX_CHOICES);
  return indexes.length === 0 ? [0] : [...new Set(indexes)];
}

/**
 * Number of spaces after the last payload, because @mistralai/mistralai 1.3 loses the last event of a read if it is
 * shorter than the events before it.
 */
const PAD_CHARS = 8_192;

/**
 * Mistral clients validate chunks strictly and throw on anything else. For clients that skip unknown data, a chunk
 * with the stream's `id` and `model` has Mistral's finish reason `error`.
 */
export function mistralCut({ type, message }: Refusal, last: JsonObject): readonly CutPayload[] {
  const error = { error: openaiError(type, message), type };
  const chunk = {
    ...error,
    id: stringOr(last.id),
    object: stringOr(last.object, 'chat.completion.chunk'),
    created: numberOr(last.created, 0),
    model: stringOr(last.model),
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
  };
  return [{ json: error }, { json: chunk, pad: PAD_CHARS }];
}

export interface CutResponse {
  /** Contains only identifying members, no model output. */
  readonly response: JsonObject;
  /** The next event's `sequence_number`. */
  readonly sequence: number;
}

/**
 * Some OpenAI clients throw on an event named `error`, some on an event whose `type` is `error`, and some on a failed
 * response. `invalid_prompt` is the only OpenAI error code that no agent retries.
 */
export function responsesCut(
  { type, message }: Refusal,
  { response, sequence }: CutResponse,
): readonly CutPayload[] {
  const code = mayRetry(type) ? 'server_error' : 'invalid_prompt';
  const failed = {
    id: stringOr(response.id),
    object: 'response',
    created_at: numberOr(response.created_at, 0),
    status: 'failed',
    error: { code, message },
    incomplete_details: null,
    model: stringOr(response.model),
    output: [],
    usage: null,
  };
  return [
    { event: 'error', json: { error: openaiError(type, message), type } },
    {
      event: 'error',
      json: {
        error: { type, code, message, param: null },
        ...{ type: 'error', code, message, param: null, sequence_number: sequence },
      },
    },
    {
      event: 'response.failed',
      json: { type: 'response.failed', sequence_number: sequence + 1, response: failed },
    },
  ];
}

/** Anthropic clients recognize an error by the event name, or by the `type` in the event's data. */
export function anthropicCut({ type, message }: Refusal): readonly CutPayload[] {
  const error = { type, message };
  return [
    { event: 'error', json: { error, type } },
    { event: 'error', json: { error, type: 'error' } },
  ];
}

/**
 * Google clients throw if `error.code` is an HTTP status. Older ones skip the error, but fail on a line that is not
 * JSON or has no blank line after it. Other clients ignore that line as an unknown field.
 */
export function geminiCut({ type, message }: Refusal): readonly CutPayload[] {
  const status = ERROR_STATUS[type] === 403 ? 'PERMISSION_DENIED' : 'UNAVAILABLE';
  const error = { code: ERROR_STATUS[type], message, status };
  return [{ json: { error, type }, line: `error: ${type}: ${message}` }];
}

/** Returns Bedrock's only stream exception that no client retries. */
export function bedrockCut({ type, message }: Refusal): readonly CutPayload[] {
  return [{ event: 'validationException', json: { message, type } }];
}

/** Cohere v2 clients do not throw within a stream. They recognize an error by the finish reason of the message. */
export function cohereV2Cut({ type, message }: Refusal): readonly CutPayload[] {
  const delta = { finish_reason: 'ERROR', error: message };
  return [
    { event: type, json: { error: message, type, message, delta } },
    { event: 'message-end', json: { type: 'message-end', delta } },
  ];
}

/** Cohere v1 distinguishes events by `event_type`, so this is a proper stream end as well as an error. */
export function cohereV1Cut({ type, message }: Refusal): readonly CutPayload[] {
  return [
    {
      json: {
        error: message,
        type,
        message,
        event_type: 'stream-end',
        is_finished: true,
        finish_reason: 'ERROR',
        response: { text: '', finish_reason: 'ERROR' },
      },
    },
  ];
}

function openaiError(type: Refusal['type'], message: string): JsonObject {
  return { message, type, param: null, code: String(ERROR_STATUS[type]) };
}

function stringOr(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
