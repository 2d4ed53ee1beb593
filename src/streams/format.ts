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

/** Content types of JSON, and generic types of servers that do not declare JSON. */
export const MAY_BE_JSON: ReadonlySet<string> = new Set([
  'application/json',
  'text/json',
  'text/plain',
  'application/octet-stream',
  '',
]);

/** Returns the format of a streamed answer by its Content-Type, or by its endpoint for arrays of Gemini. */
export function streamFormatFor(
  contentType: string | undefined,
  endpoint: { readonly streamFormat?: 'json-array' },
): StreamFormat | undefined {
  const { essence } = readMediaType(contentType);
  const format = BY_MEDIA_TYPE.get(essence);
  if (endpoint.streamFormat !== 'json-array') return format;
  // Also reads lines as elements, with or without an array around them.
  return format === ndjson || MAY_BE_JSON.has(essence) ? jsonArray : format;
}
