import { isObject } from '../json/is-object.ts';
import { GatewayError } from '../errors.ts';
import type { StreamEvent } from '../providers/dialect.ts';
import type { Frame, StreamFormat } from '../streams/frame.ts';

/** Restricts events of a judged stream to a fixed form, because comments, ids and event names are not searched. */
export interface EventForm {
  /**
   * Removes a frame's sideband. If no payload is left, returns an empty comment, or undefined if none can be sent.
   * Rewriters receive the sideband of a JSON error, which remains.
   * @throws GatewayError upstream_unavailable if the sideband breaks the stream
   */
  plain(frame: Frame): Frame | undefined;
  /**
   * Returns the event without an unknown name, or undefined if the event cannot be sent without its name.
   * @throws GatewayError upstream_unavailable if the event does not have the expected form
   */
  held(event: StreamEvent): StreamEvent | undefined;
}

export interface EventFormTerms {
  readonly format: StreamFormat;
  /** Whether each event except a marker must be a JSON object. Otherwise, all events are JSON or none are. */
  readonly isKnown: boolean;
  /** False for clients that fail on comments. */
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
        // This is a JSON error with a stream's content type.
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

/** Some clients parse lines that begin like this as JSON. */
const JSON_LINE = /^[^\S\n]*[[{,"]/m;

const MARKERS: ReadonlySet<string> = new Set(['', 'null', '[DONE]']);

export function bare(format: StreamFormat, frame: Frame, sideband: string): Frame {
  const { event, sideband: _left, ...rest } = frame;
  const isKept = event !== undefined && (format.name !== 'sse' || !sideband.includes(event));
  const named = isKept ? { ...rest, event } : rest;
  return { ...named, raw: format.copy(named, frame.data ?? '') };
}

const LF = 0x0a;
const CR = 0x0d;

/** Returns an empty comment, which keeps the connection alive, with the provider's line endings. */
function keepAlive({ raw }: Frame): Frame {
  let end = raw.length;
  while (raw[end - 1] === LF || raw[end - 1] === CR) end -= 1;
  return { raw: Buffer.concat([Buffer.from(':'), raw.subarray(end)]) };
}

/** Event names that differ from the payload's type: markers, errors, and all Bedrock names. */
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

function hasKnownName({ frame: { event: name }, json }: StreamEvent): boolean {
  if (name === undefined || KNOWN_NAMES.has(name) || EXCEPTION.test(name)) return true;
  return isObject(json) && (json['type'] === name || json['event_type'] === name);
}

/** Removes an unknown name. AWS messages are useless without their names, but few SSE clients need names. */
function unnamed(format: StreamFormat, event: StreamEvent): StreamEvent | undefined {
  if (format.name !== 'sse') return undefined;
  const { event: _name, ...frame } = event.frame;
  return { ...event, frame: { ...frame, raw: format.copy(frame, frame.data ?? '') } };
}

function brokenEvent(): GatewayError {
  return new GatewayError('upstream_unavailable', 'the provider sent a stream with an unreadable event');
}
