import { isObject } from '../json/is-object.ts';
import { GatewayError } from '../errors.ts';
import type { StreamEvent } from '../providers/provider.ts';
import type { Frame, StreamFormat } from '../streams/frame.ts';

/**
 * Holds the events of a judged stream to a fixed form. Text outside the payload's JSON (in a comment, an id, an event
 * name) would bypass the text search.
 */
export interface EventForm {
  /**
   * Strips the frame to its payload. Returns undefined if nothing is left to send. Rewriters receive any sideband that remains.
   * @throws GatewayError upstream_unavailable if the sideband breaks the stream
   */
  plain(frame: Frame): Frame | undefined;
  /**
   * Returns the event as it may be sent, or undefined if its name is unknown.
   * @throws GatewayError upstream_unavailable if its form differs
   */
  held(event: StreamEvent): StreamEvent | undefined;
}

export interface EventFormTerms {
  readonly format: StreamFormat;
  /** Every event must be a JSON object, as in all known dialects. Otherwise all events are JSON, or none is. */
  readonly isKnown: boolean;
  /** Comments keep connections alive, but some clients fail on them. */
  readonly keepsComments: boolean;
}

export function createEventForm({ format, isKnown, keepsComments }: EventFormTerms): EventForm {
  let isJson: boolean | undefined = isKnown ? true : undefined;

  function assertForm({ json, frame }: StreamEvent): void {
    if ((json ?? undefined) === undefined && MARKERS.has((frame.data ?? '').trim())) return;
    isJson ??= json !== undefined;
    const fits = isKnown ? isObject(json) : isJson === (json !== undefined);
    if (!fits) throw brokenEvent();
  }

  function keptOpen(frame: Frame): Frame | undefined {
    return keepsComments && frame.open !== true ? keepAlive(frame) : undefined;
  }

  return {
    plain(frame) {
      const { sideband, event } = frame;
      const isNameAlone = event !== undefined && frame.data === undefined;
      if (sideband === undefined) return isNameAlone ? keptOpen(frame) : frame;
      if (format.name === 'sse' && JSON_LINE.test(sideband)) {
        if (isKnown) throw brokenEvent();
        // A JSON error sent with the requested stream's content type.
        return frame;
      }
      if (frame.data !== undefined && format.name !== 'json-array') return bare(format, frame, sideband);
      if (format.name !== 'sse') throw brokenEvent();
      return keptOpen(frame);
    },
    held(event) {
      assertForm(event);
      return isKnown && !hasKnownName(event) ? unnamed(format, event) : event;
    },
  };
}

/** Some clients parse an event stream line that starts like this. */
const JSON_LINE = /^[^\S\n]*[[{,"]/m;

const MARKERS: ReadonlySet<string> = new Set(['', 'null', '[DONE]']);

/** Returns the frame without its sideband. */
export function bare(format: StreamFormat, frame: Frame, sideband: string): Frame {
  const { event, sideband: _left, ...rest } = frame;
  const isKept = event !== undefined && (format.name !== 'sse' || !sideband.includes(event));
  const named = isKept ? { ...rest, event } : rest;
  return { ...named, raw: format.copy(named, frame.data ?? '') };
}

const LF = 0x0a;
const CR = 0x0d;

/** Returns an empty comment, which keeps the connection alive. Line endings stay the provider's. */
function keepAlive({ raw }: Frame): Frame {
  let end = raw.length;
  while (raw[end - 1] === LF || raw[end - 1] === CR) end -= 1;
  return { raw: Buffer.concat([Buffer.from(':'), raw.subarray(end)]) };
}

/** Event names that differ from their event's type: markers, errors, and all of Bedrock's. */
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  '',
  'completion',
  'done',
  'end',
  'error',
  'message',
  'ping',
  'chunk',
  'contentBlockDelta',
  'contentBlockStart',
  'contentBlockStop',
  'initial-response',
  'messageStart',
  'messageStop',
  'metadata',
]);
const EXCEPTION = /^[a-z]{1,40}(?:exception|error|failure)$/i;

/** Reports whether an event's name is well known or repeats its payload's type. */
function hasKnownName({ frame: { event: name }, json }: StreamEvent): boolean {
  if (name === undefined || KNOWN_NAMES.has(name) || EXCEPTION.test(name)) return true;
  return isObject(json) && (json['type'] === name || json['event_type'] === name);
}

/** Drops an unknown event name. An AWS message is useless without its type; few SSE clients need one. */
function unnamed(format: StreamFormat, event: StreamEvent): StreamEvent | undefined {
  if (format.name !== 'sse') return undefined;
  const { event: _name, ...frame } = event.frame;
  return { ...event, frame: { ...frame, raw: format.copy(frame, frame.data ?? '') } };
}

function brokenEvent(): GatewayError {
  return new GatewayError('upstream_unavailable', 'the provider sent a stream with an unreadable event');
}
