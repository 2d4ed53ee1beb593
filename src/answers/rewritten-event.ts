import { editInSteps } from '../json/edit.ts';
import type { JsonEdit, JsonPath } from '../json/path.ts';
import type { StreamEvent, TextDelta } from '../providers/dialect.ts';
import type { Frame, StreamFormat } from '../streams/frame.ts';
import { lastIndexUpTo } from '../text/ascending.ts';
import { inTurns, ITEM_CHARS, runNow, type Work } from '../turns.ts';
import type { RewrittenFrame } from '../pipeline/check.ts';

export function rewrittenEvent(format: StreamFormat, rewritten: RewrittenFrame): StreamEvent {
  return runNow(rewriting(format, rewritten));
}

export async function rewrittenInTurns(
  format: StreamFormat,
  rewritten: RewrittenFrame,
): Promise<StreamEvent> {
  return inTurns(rewriting(format, rewritten));
}

function* rewriting(format: StreamFormat, rewritten: RewrittenFrame): Work<StreamEvent> {
  const { event, edits, copy = false } = rewritten;
  if (edits.length === 0 && !copy) return event;
  if (event.sideband === true) return { ...event, frame: { ...event.frame, raw: NOTHING } };
  const { data, json } = yield* editedPayload(event, edits);
  const frame = copy ? copied(format, event, data) : changedFrame(format, event, data);
  const parse = parserOf(event, edits, json);
  const deltas = yield* changedDeltas(event.deltas, edits);
  return {
    ...(copy ? withTokens(event) : event),
    ...(event.inner !== undefined && { inner: { ...event.inner, json } }),
    frame,
    deltas,
    get json(): unknown {
      return parse();
    },
  };
}

const NOTHING = Buffer.alloc(0);

interface Payload {
  readonly data: string;
  /** The document that edit paths refer to: the payload, or the document packed in the payload. */
  readonly json: string;
}

function* editedPayload(event: StreamEvent, edits: readonly JsonEdit[]): Work<Payload> {
  const { inner, frame } = event;
  const text = inner?.json ?? frame.data ?? '';
  if (edits.length === 0) return { data: frame.data ?? '', json: text };
  let json: string;
  if (event.json === undefined) {
    const edit = edits.findLast(({ path }) => path.length === 0);
    json = edit?.kind === 'set' ? String(edit.value ?? '') : '';
  } else json = (yield* editInSteps(Buffer.from(text), edits)).toString();
  return { data: inner === undefined ? json : inner.pack(json), json };
}

function changedFrame(format: StreamFormat, { frame }: StreamEvent, data: string): Frame {
  return { ...frame, raw: format.withData(frame, data), data };
}

function copied(format: StreamFormat, { frame }: StreamEvent, data: string): Frame {
  const { event } = frame;
  const raw = format.copy(frame, data);
  return { raw, data, added: true, ...(event !== undefined && { event }) };
}

/** A copy keeps only texts and tokens, because everything else has already been processed. */
function withTokens({ tokens }: StreamEvent): Partial<StreamEvent> {
  return tokens === undefined ? {} : { tokens };
}

function parserOf({ json }: StreamEvent, edits: readonly JsonEdit[], text: string): () => unknown {
  if (json === undefined || edits.length === 0) return () => json;
  let parsed: unknown;
  return () => (parsed ??= JSON.parse(text));
}

interface EditIndex {
  /** The last text set at each path. */
  readonly texts: ReadonlyMap<string, string>;
  /** Paths of removed elements and members. */
  readonly removed: ReadonlySet<string>;
  /** Removed indexes by the path of their array, ascending. */
  readonly byList: ReadonlyMap<string, readonly number[]>;
}

function* indexed(edits: readonly JsonEdit[]): Work<EditIndex> {
  const texts = new Map<string, string>();
  const removed = new Set<string>();
  const byList = new Map<string, number[]>();
  for (const edit of edits) {
    const key = JSON.stringify(edit.path);
    const step = edit.path.at(-1);
    if (edit.kind === 'set') {
      if (typeof edit.value === 'string') texts.set(key, edit.value);
      else texts.delete(key);
    } else if (!removed.has(key)) {
      removed.add(key);
      if (typeof step === 'number') {
        const list = JSON.stringify(edit.path.slice(0, -1));
        const known = byList.get(list) ?? [];
        known.push(step);
        byList.set(list, known);
      }
    }
    yield ITEM_CHARS;
  }
  for (const indexes of byList.values()) indexes.sort((a, b) => a - b);
  return { texts, removed, byList };
}

function* changedDeltas(
  deltas: readonly TextDelta[],
  edits: readonly JsonEdit[],
): Work<readonly TextDelta[]> {
  if (edits.length === 0) return deltas;
  const { texts, removed, byList } = yield* indexed(edits);
  const changed: TextDelta[] = [];
  for (const delta of deltas) {
    const path = removed.size === 0 ? delta.path : pathLeft(delta.path, removed, byList);
    const text = texts.get(JSON.stringify(delta.path)) ?? delta.text;
    if (path !== undefined) changed.push({ ...delta, text, path });
    yield ITEM_CHARS;
  }
  return changed;
}

/** Returns a path adjusted for removed elements before it, or undefined if its value was removed. */
function pathLeft(
  path: JsonPath,
  removed: ReadonlySet<string>,
  byList: ReadonlyMap<string, readonly number[]>,
): JsonPath | undefined {
  const left: (string | number)[] = [];
  for (const [depth, step] of path.entries()) {
    if (removed.has(JSON.stringify(path.slice(0, depth + 1)))) return undefined;
    const gone = typeof step === 'number' ? byList.get(JSON.stringify(path.slice(0, depth))) : undefined;
    const before =
      gone === undefined ? 0 : 1 + lastIndexUpTo(gone.length, (index) => gone[index] ?? 0, Number(step));
    left.push(typeof step === 'number' ? step - before : step);
  }
  return left;
}
