import { applyEdits } from '../json/edit.ts';
import type { JsonEdit } from '../json/path.ts';
import type { StreamEvent, TextDelta } from '../providers/provider.ts';
import type { Frame, StreamFormat } from '../streams/frame.ts';
import type { RewrittenFrame } from './check.ts';

/** An event as the next rewriter sees it, and as it is sent: its frame holds the bytes of its edited payload. */
export function rewrittenEvent(format: StreamFormat, rewritten: RewrittenFrame): StreamEvent {
  const { event, edits, copy } = rewritten;
  if (edits.length === 0 && copy !== true) return event;
  if (event.beside === true) return { ...event, frame: { ...event.frame, raw: Buffer.alloc(0) } };
  const payload = editedPayload(event, edits);
  const frame = copy === true ? copied(format, event, payload.data) : changed(format, event, payload.data);
  const parse = parserOf(event, edits, payload.json);
  return {
    ...(copy === true ? textOf(event) : event),
    ...(event.inner !== undefined && { inner: { ...event.inner, json: payload.json } }),
    frame,
    deltas: event.deltas.map((delta) => changedDelta(delta, edits)),
    get json(): unknown {
      return parse();
    },
  };
}

interface Payload {
  /** The frame's. */
  readonly data: string;
  /** What the edits' paths point into: the same, or packed in it. */
  readonly json: string;
}

function editedPayload(event: StreamEvent, edits: readonly JsonEdit[]): Payload {
  const { frame, inner } = event;
  const before = inner?.json ?? frame.data ?? '';
  if (edits.length === 0) return { data: frame.data ?? '', json: before };
  const json =
    event.json === undefined
      ? String(valueSet(edits, []) ?? '')
      : applyEdits(Buffer.from(before), edits).toString();
  return { data: inner === undefined ? json : inner.pack(json), json };
}

function changed(format: StreamFormat, { frame }: StreamEvent, data: string): Frame {
  return { ...frame, raw: format.withData(frame, data), data };
}

function copied(format: StreamFormat, { frame }: StreamEvent, data: string): Frame {
  const { event } = frame;
  const raw = format.copy(frame, data);
  return { raw, data, added: true, ...(event !== undefined && { event }) };
}

/** A copy says no more than its text: what else the event meant, it meant when it came. */
function textOf({ tokens }: StreamEvent): Partial<StreamEvent> {
  return tokens === undefined ? {} : { tokens };
}

/** Edited JSON is parsed only where another rewriter asks for it. */
function parserOf({ json }: StreamEvent, edits: readonly JsonEdit[], text: string): () => unknown {
  if (json === undefined || edits.length === 0) return () => json;
  let parsed: unknown;
  return () => (parsed ??= JSON.parse(text));
}

function changedDelta(delta: TextDelta, edits: readonly JsonEdit[]): TextDelta {
  const text = valueSet(edits, delta.path);
  return typeof text === 'string' ? { ...delta, text } : delta;
}

/** The value that edits set at a path, the later ones winning. */
function valueSet(edits: readonly JsonEdit[], path: JsonEdit['path']): unknown {
  const found = edits.findLast(
    (edit) => edit.path.length === path.length && edit.path.every((step, index) => step === path[index]),
  );
  return found?.kind === 'set' ? found.value : undefined;
}
