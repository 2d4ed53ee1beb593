import { ERROR_STATUS } from '../../errors.ts';
import type { CutPayload, JsonObject, StreamRefusal } from '../provider.ts';

/** The gateway's own error shape, for streams of no known dialect; Ollama's clients read `error` too. */
export function plainCut({ type, message }: StreamRefusal): CutPayload {
  return { json: { type, error: message } };
}

/**
 * A chunk with an `error`, which OpenAI's clients raise. Mistral's read chunks strictly and know an error by its
 * finish reason alone: they want all the members of a chunk, the stream's `id` and `model` among them.
 */
export function choicesCut({ type, message }: StreamRefusal, last: JsonObject): CutPayload {
  return {
    json: {
      type,
      error: { message, type, param: null, code: type },
      id: stringOr(last.id),
      object: stringOr(last.object, 'chat.completion.chunk'),
      created: typeof last.created === 'number' ? last.created : 0,
      model: stringOr(last.model),
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
    },
  };
}

function stringOr(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

/** OpenAI's clients raise an event named `error`, whatever its `type`. */
export function responsesCut({ type, message }: StreamRefusal): CutPayload {
  return { event: 'error', json: { type, error: { message, type, param: null, code: type } } };
}

/** Anthropic's clients know an error by the event's name alone. */
export function anthropicCut({ type, message }: StreamRefusal): CutPayload {
  return { event: 'error', json: { type, error: { type, message } } };
}

/** Google's clients raise what has an HTTP status in `error.code`. */
export function geminiCut({ type, message }: StreamRefusal): CutPayload {
  return { json: { type, error: { code: ERROR_STATUS[type], message, status: 'PERMISSION_DENIED' } } };
}

/** Of the exceptions that Bedrock's streams know, the one that no client tries again. */
export function bedrockCut({ type, message }: StreamRefusal): CutPayload {
  return { event: 'validationException', json: { type, message } };
}

/** Cohere's v2 clients raise nothing that comes in a stream: they hand the event on, with its `type`. */
export function cohereV2Cut({ type, message }: StreamRefusal): CutPayload {
  return { event: type, json: { type, message, delta: { finish_reason: 'ERROR', error: message } } };
}

/** Cohere's v1 tells events apart by `event_type`, so that this is both the stream's proper end and ours. */
export function cohereV1Cut({ type, message }: StreamRefusal): CutPayload {
  return {
    json: {
      type,
      message,
      event_type: 'stream-end',
      is_finished: true,
      finish_reason: 'ERROR',
      response: { text: '', finish_reason: 'ERROR' },
    },
  };
}
