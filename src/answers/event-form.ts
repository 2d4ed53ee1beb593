import { isObject } from '../json/is-object.ts';
import { GatewayError } from '../errors.ts';
import type { StreamEvent } from '../providers/provider.ts';
import type { Frame, StreamFormat } from '../streams/frame.ts';

/**
 * Holds the events of a judged stream to one form. Text that stands anywhere else (in a comment, an id, the name of an
 * event, a payload that is not JSON) would pass beside the window in which the stream's text is searched.
 */
export interface EventForm {
  /**
   * The frame with nothing beside its payload; undefined where nothing is left to send. What is still beside it is to be
   * shown to the rewriters.
   * @throws GatewayError upstream_unavailable where what stands beside breaks the stream
   */
  plain(frame: Frame): Frame | undefined;
  /**
   * The event as it may be sent; undefined where nobody knows its name.
   * @throws GatewayError upstream_unavailable where it is of another form
   */
  held(event: StreamEvent): StreamEvent | undefined;
}

export interface EventFormTerms {
  readonly format: StreamFormat;
  /** Every event is a JSON object, as in each dialect that the gateway reads. Else all are JSON, or none is. */
  readonly isKnown: boolean;
  /** Comments keep connections open, and some clients trip over them. */
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
        // An error in JSON, which some servers send under the type of the stream that was asked for.
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

/** Some clients read a line of an event stream that begins so. */
const JSON_LINE = /^[^\S\n]*[[{,"]/m;

const MARKERS: ReadonlySet<string> = new Set(['', 'null', '[DONE]']);

/** The frame of an event without what stands beside its payload. */
export function bare(format: StreamFormat, frame: Frame, sideband: string): Frame {
  const { event, sideband: _left, ...rest } = frame;
  const isKept = event !== undefined && (format.name !== 'sse' || !sideband.includes(event));
  const named = isKept ? { ...rest, event } : rest;
  return { ...named, raw: format.copy(named, frame.data ?? '') };
}

const LF = 0x0a;
const CR = 0x0d;

/** An empty comment, which says as much to a connection as one with words; its lines end as the provider's do. */
function keepAlive({ raw }: Frame): Frame {
  let end = raw.length;
  while (raw[end - 1] === LF || raw[end - 1] === CR) end -= 1;
  return { raw: Buffer.concat([Buffer.from(':'), raw.subarray(end)]) };
}

/** Names that dialects have beside the types of their events: markers, errors, and all of Bedrock's. */
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

/** Whether an event's name says no more than its payload does, or is one of few. */
function hasKnownName({ frame: { event: name }, json }: StreamEvent): boolean {
  if (name === undefined || KNOWN_NAMES.has(name) || EXCEPTION.test(name)) return true;
  return isObject(json) && (json['type'] === name || json['event_type'] === name);
}

/** An AWS message is nothing without its type; an event of SSE has one for few clients. */
function unnamed(format: StreamFormat, event: StreamEvent): StreamEvent | undefined {
  if (format.name !== 'sse') return undefined;
  const { event: _name, ...frame } = event.frame;
  return { ...event, frame: { ...frame, raw: format.copy(frame, frame.data ?? '') } };
}

function brokenEvent(): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    'the provider sent a stream with an event that cannot be read',
  );
}
