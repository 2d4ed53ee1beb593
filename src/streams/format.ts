import { readMediaType } from '../media-type.ts';
import { awsEventStream } from './aws-event-stream.ts';
import type { StreamFormat } from './frame.ts';
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

/** What JSON is called, or what a server says that does not know. */
export const MAY_BE_JSON: ReadonlySet<string> = new Set([
  'application/json',
  'text/json',
  'text/plain',
  'application/octet-stream',
  '',
]);

/**
 * How an answer streams: what its Content-Type says, or else what its endpoint is known for (Gemini's array,
 * which says `application/json`). Undefined for an answer that comes whole.
 */
export function streamFormatFor(
  contentType: string | undefined,
  endpoint: { readonly streamFormat?: 'json-array' },
): StreamFormat | undefined {
  const { essence } = readMediaType(contentType);
  const format = BY_MEDIA_TYPE.get(essence);
  if (endpoint.streamFormat !== 'json-array') return format;
  // Lines too are read as elements, whether or not an array is around them.
  return format === ndjson || MAY_BE_JSON.has(essence) ? jsonArray : format;
}
