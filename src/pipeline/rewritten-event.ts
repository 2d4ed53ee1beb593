import { applyEdits } from '../json/edit.ts';
import type { JsonEdit } from '../json/path.ts';
import type { StreamEvent } from '../providers/provider.ts';
import type { Frame, StreamFormat } from '../streams/frame.ts';
import type { RewrittenFrame } from './check.ts';

/** An event as the next rewriter sees it, and as it is sent: its frame holds the bytes of its edited payload. */
export function rewrittenEvent(format: StreamFormat, rewritten: RewrittenFrame): StreamEvent {
  const { event, edits, copy } = rewritten;
  if (edits.length === 0 && copy !== true) return event;
  if (event.beside === true) return { ...event, frame: { ...event.frame, raw: Buffer.alloc(0) } };
  const edited = editedEvent(event, edits);
  const { frame } = edited;
  const data = frame.data ?? '';
  if (copy !== true) return { ...edited, frame: { ...frame, raw: format.withData(event.frame, data) } };
  const { event: name } = frame;
  const copied: Frame = {
    raw: format.copy(event.frame, data),
    data,
    added: true,
    ...(name !== undefined && { event: name }),
  };
  // It says no more than its text: what else the event meant, it meant when it came.
  const { inner, deltas, json, tokens } = edited;
  return {
    frame: copied,
    deltas,
    json,
    ...(inner !== undefined && { inner }),
    ...(tokens !== undefined && { tokens }),
  };
}

/** The event with its edits in payload, JSON and deltas; its frame's bytes are still those of before. */
function editedEvent(event: StreamEvent, edits: readonly JsonEdit[]): StreamEvent {
  if (edits.length === 0) return event;
  const { frame, inner } = event;
  if (event.json === undefined)
    return { ...event, frame: { ...frame, data: String(setAt(edits, []) ?? '') } };
  const text = applyEdits(Buffer.from(inner?.json ?? frame.data ?? ''), edits).toString();
  const deltas = event.deltas.map((delta) => {
    const changed = setAt(edits, delta.path);
    return typeof changed === 'string' ? { ...delta, text: changed } : delta;
  });
  return {
    ...event,
    ...(inner !== undefined && { inner: { ...inner, json: text } }),
    frame: { ...frame, data: inner === undefined ? text : inner.pack(text) },
    json: JSON.parse(text) as unknown,
    deltas,
  };
}

/** The value that edits set at a path, the later ones winning. */
function setAt(edits: readonly JsonEdit[], path: JsonEdit['path']): unknown {
  const found = edits.findLast(
    (edit) => edit.path.length === path.length && edit.path.every((step, index) => step === path[index]),
  );
  return found?.kind === 'set' ? found.value : undefined;
}
