import { arrayOf, objectOf } from './fields.ts';
import { ERROR_STATUS, mayRetry, type Refusal } from '../../errors.ts';
import type { CutPayload, JsonObject } from '../provider.ts';

/*
 * What makes clients take a cut for an error, each tried with them (docs/clients/streams.md). `error` comes first in
 * every payload, for several tell one by the bytes `{"error":`. Where `type` must say something else for some, the
 * error comes again in that form.
 */

/** The gateway's own error shape, for streams of no known dialect; Ollama's clients read `error` too. */
export function plainCut({ type, message }: Refusal): readonly CutPayload[] {
  return [{ json: { error: message, type } }];
}

/**
 * OpenAI's clients raise an `error`; with `choices` beside it, some take it for a chunk like any other. Its `code` is
 * read as an HTTP status by some, and by that they know that there is no use in trying again. Clients that pass over
 * what is no chunk find OpenAI's own reason for withheld answers in one that follows.
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

/** Of the choices of a chunk. It may be what the stream is cut for, so that nothing else of it is said again. */
function indexesOf({ choices }: JsonObject): readonly number[] {
  const indexes = arrayOf(choices)
    .slice(0, MAX_CHOICES)
    .map((choice) => numberOr(objectOf(choice).index, 0))
    .filter((index) => Number.isInteger(index) && index >= 0 && index < MAX_CHOICES);
  return indexes.length === 0 ? [0] : [...new Set(indexes)];
}

/**
 * @mistralai/mistralai 1.3 loses the last event of a read that is shorter than those before it in that read: this is
 * more than they are in a read of 64 KiB.
 */
const LONGER_THAN_WHAT_IS_READ_WITH_IT = 8_192;

/**
 * Mistral's clients read chunks strictly, and raise what is none. Those who read it by themselves, and pass over what
 * is none, find the finish reason that Mistral has for errors, in a chunk with the stream's `id` and `model`.
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
  return [{ json: error }, { json: chunk, pad: LONGER_THAN_WHAT_IS_READ_WITH_IT }];
}

/** What is known of a streamed response when it is cut. */
export interface CutResponse {
  /** Of its own words only what names it. */
  readonly response: JsonObject;
  /** The next event's `sequence_number`. */
  readonly sequence: number;
}

/**
 * OpenAI's clients raise an event named `error`, others one of this `type`, others a failed response. Of the codes that
 * OpenAI has, `invalid_prompt` is the one that no agent tries again.
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

/** Anthropic's clients know an error by the event's name; those that read data alone, by its `type`. */
export function anthropicCut({ type, message }: Refusal): readonly CutPayload[] {
  const error = { type, message };
  return [
    { event: 'error', json: { error, type } },
    { event: 'error', json: { error, type: 'error' } },
  ];
}

/**
 * Google's clients raise what has an HTTP status in `error.code`. Older ones pass an error in an event over, and fail at
 * what is none: at a line that is no JSON, or has no blank line behind it. It is no field that others know.
 */
export function geminiCut({ type, message }: Refusal): readonly CutPayload[] {
  const status = ERROR_STATUS[type] === 403 ? 'PERMISSION_DENIED' : 'UNAVAILABLE';
  const error = { code: ERROR_STATUS[type], message, status };
  return [{ json: { error, type }, line: `error: ${type}: ${message}` }];
}

/** Of the exceptions that Bedrock's streams know, the one that no client tries again. */
export function bedrockCut({ type, message }: Refusal): readonly CutPayload[] {
  return [{ event: 'validationException', json: { message, type } }];
}

/** Cohere's v2 clients raise nothing that comes in a stream; they know an error by how the message ends. */
export function cohereV2Cut({ type, message }: Refusal): readonly CutPayload[] {
  const delta = { finish_reason: 'ERROR', error: message };
  return [
    { event: type, json: { error: message, type, message, delta } },
    { event: 'message-end', json: { type: 'message-end', delta } },
  ];
}

/** Cohere's v1 tells events apart by `event_type`, so that this is both the stream's proper end and ours. */
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
