import { saysAll } from '../json/document-shape.ts';
import type { StreamEvent } from '../providers/provider.ts';
import type { Frame, StreamFormat } from '../streams/frame.ts';

/**
 * The event with a frame that says to every client what the event says to the rewriters, and no more. A name that
 * stands twice in its JSON, or is spelled with escapes, is written once and plainly; bytes that are no text, and what
 * a reader found to be hidden beside its document, go.
 * @param frame what the event was read from
 */
export function unambiguousEvent(format: StreamFormat, event: StreamEvent, frame: Frame): StreamEvent {
  const text = event.inner?.json ?? frame.data ?? '';
  if (!isAmbiguous(event, text)) {
    const { data } = event.frame;
    return data === frame.data || data === undefined ? event : withPayload(format, event, data);
  }
  const json = JSON.stringify(event.json);
  if (event.inner === undefined) return withPayload(format, event, json);
  const inner = { ...event.inner, json };
  return withPayload(format, { ...event, inner }, inner.pack(json));
}

function isAmbiguous({ json }: StreamEvent, text: string): boolean {
  return typeof json === 'object' && json !== null && !saysAll(text, json);
}

function withPayload(format: StreamFormat, event: StreamEvent, data: string): StreamEvent {
  return { ...event, frame: { ...event.frame, raw: format.withData(event.frame, data), data } };
}
