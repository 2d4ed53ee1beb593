import { applyEdits } from '../json/edit.ts';
import type { JsonEdit } from '../json/path.ts';
import type { InnerPayload, StreamEvent } from '../providers/provider.ts';
import type { Frame, StreamFormat } from '../streams/frame.ts';
import type { RewrittenFrame } from './check.ts';

/** An event as the next rewriter sees it, and as it is sent: its frame holds the bytes of its edited JSON. */
export function rewrittenEvent(format: StreamFormat, { event, edits, copy }: RewrittenFrame): StreamEvent {
  if (edits.length === 0 && copy !== true) return event;
  const payload = editedPayload(event, edits);
  const { frame } = event;
  const raw = copy === true ? format.copy(frame, payload.data) : format.withData(frame, payload.data);
  const changed: Frame = { ...frame, raw, data: payload.data };
  const deltas = event.deltas.map((delta) => {
    const text = setAt(edits, delta.path);
    return typeof text === 'string' ? { ...delta, text } : delta;
  });
  return {
    ...event,
    ...payload.inner,
    frame: changed,
    deltas,
    json: JSON.parse(payload.json) as unknown,
  };
}

interface Payload {
  readonly data: string;
  readonly json: string;
  readonly inner: { readonly inner?: InnerPayload };
}

function editedPayload({ frame, inner }: StreamEvent, edits: readonly JsonEdit[]): Payload {
  if (inner === undefined) {
    const json = edited(frame.data ?? '', edits);
    return { data: json, json, inner: {} };
  }
  const json = edited(inner.json, edits);
  return { data: inner.pack(json), json, inner: { inner: { ...inner, json } } };
}

function edited(json: string, edits: readonly JsonEdit[]): string {
  return applyEdits(Buffer.from(json), edits).toString();
}

/** The value that edits set at a path, the later ones winning. */
function setAt(edits: readonly JsonEdit[], path: JsonEdit['path']): unknown {
  const found = edits.findLast(
    (edit) => edit.path.length === path.length && edit.path.every((step, index) => step === path[index]),
  );
  return found?.kind === 'set' ? found.value : undefined;
}
