import { GatewayError } from '../errors.ts';
import { readMediaType } from '../media-type.ts';
import { awsEventStream } from './aws-event-stream.ts';
import type { Frame, StreamFormat } from './frame.ts';
import { jsonArray } from './json-array.ts';
import { ndjson } from './ndjson.ts';
import { sse } from './sse.ts';

const BY_MEDIA_TYPE: ReadonlyMap<string, StreamFormat> = new Map([
  ['text/event-stream', sse],
  ['application/vnd.amazon.eventstream', awsEventStream],
  ['application/x-ndjson', ndjson],
  ['application/ndjson', ndjson],
  ['application/jsonl', ndjson],
  ['application/x-jsonlines', ndjson],
  ['application/stream+json', ndjson],
]);

/** JSON content types, and generic ones from servers that do not declare JSON. */
export const MAY_BE_JSON: ReadonlySet<string> = new Set([
  'application/json',
  'text/json',
  'text/plain',
  'application/octet-stream',
  '',
]);

/** Returns the format of a streamed answer by its Content-Type, or by its endpoint for Gemini's JSON arrays. */
export function streamFormatFor(
  contentType: string | undefined,
  endpoint: { readonly streamFormat?: 'json-array' },
): StreamFormat | undefined {
  const { essence } = readMediaType(contentType);
  const format = BY_MEDIA_TYPE.get(essence);
  if (endpoint.streamFormat !== 'json-array') return format;
  // `jsonArray` also accepts JSON lines, with or without brackets around them.
  return format === ndjson || MAY_BE_JSON.has(essence) ? jsonArray : format;
}

/**
 * Returns a format that refuses streams that contradict their Content-Type, because clients that ignore the header may
 * join their texts.
 */
export function asLabelled(format: StreamFormat): StreamFormat {
  const isOther = TESTS[format.name]?.();
  if (isOther === undefined) return format;
  return {
    ...format,
    readable(frame) {
      if (!isOther(frame)) return format.readable(frame);
      throw new GatewayError('upstream_unavailable', "the provider's stream does not match its Content-Type");
    },
  };
}

type IsOther = (frame: Frame) => boolean;

/** Other formats need no test, because they are unmistakable or all clients parse them alike. */
const TESTS: Partial<Record<StreamFormat['name'], () => IsOther>> = {
  sse: jsonAmongEvents,
  ndjson: () => isEvent,
};

/** Detects a JSON array or several documents. Some providers report errors as a single document. */
function jsonAmongEvents(): IsOther {
  let documents = 0;
  return ({ sideband }) => {
    if (sideband === undefined) return false;
    for (const line of sideband.split('\n')) {
      const [first = ''] = line.trimStart();
      if (first === '[' || first === ',') return true;
      if (first === '{') documents += 1;
    }
    return documents > 1;
  };
}

/** Detects an SSE `data:` line. SSE lines may also end at CR, which JSON strings cannot contain. */
function isEvent({ data = '' }: Frame): boolean {
  return data.startsWith('data:') || data.includes('\rdata:');
}
