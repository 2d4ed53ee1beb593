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

/** Same as `rewrittenEvent`, in turns of the event loop, for long events. */
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
  const deltas = yield* leftIn(yield* changedDeltas(event.deltas, edits), edits);
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
  /** The document that the paths of edits refer to: the payload, or the document packed in it. */
  readonly json: string;
}

function* editedPayload(event: StreamEvent, edits: readonly JsonEdit[]): Work<Payload> {
  const { inner, frame } = event;
  const text = inner?.json ?? frame.data ?? '';
  if (edits.length === 0) return { data: frame.data ?? '', json: text };
  let json: string;
  if (event.json === undefined) {
    const edit = editOf(edits, []);
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

/** Copies only the text: everything else has already been processed. */
function withTokens({ tokens }: StreamEvent): Partial<StreamEvent> {
  return tokens === undefined ? {} : { tokens };
}

function parserOf({ json }: StreamEvent, edits: readonly JsonEdit[], text: string): () => unknown {
  if (json === undefined || edits.length === 0) return () => json;
  let parsed: unknown;
  return () => (parsed ??= JSON.parse(text));
}

/** Above this number of comparisons, edits are indexed by path. */
const MANY_COMPARISONS = 64;

function* changedDeltas(
  deltas: readonly TextDelta[],
  edits: readonly JsonEdit[],
): Work<readonly TextDelta[]> {
  const isMany = deltas.length * edits.length > MANY_COMPARISONS;
  const byPath = isMany ? yield* editsByPath(edits) : undefined;
  const changed: TextDelta[] = [];
  for (const delta of deltas) {
    const { path } = delta;
    const edit = byPath === undefined ? editOf(edits, path) : byPath.get(JSON.stringify(path));
    const text = edit?.kind === 'set' ? edit.value : undefined;
    changed.push(typeof text === 'string' ? { ...delta, text } : delta);
    yield ITEM_CHARS;
  }
  return changed;
}

function* leftIn(deltas: readonly TextDelta[], edits: readonly JsonEdit[]): Work<readonly TextDelta[]> {
  const removed = new Set<string>();
  const byList = new Map<string, number[]>();
  for (const { kind, path } of edits) {
    if (kind !== 'remove') continue;
    const step = path.at(-1);
    if (!removed.has(JSON.stringify(path)) && typeof step === 'number') {
      const list = JSON.stringify(path.slice(0, -1));
      const known = byList.get(list);
      if (known === undefined) byList.set(list, [step]);
      else known.push(step);
    }
    removed.add(JSON.stringify(path));
    yield ITEM_CHARS;
  }
  if (removed.size === 0) return deltas;
  for (const indexes of byList.values()) indexes.sort((a, b) => a - b);
  const left: TextDelta[] = [];
  for (const delta of deltas) {
    const path = pathLeft(delta.path, removed, byList);
    if (path !== undefined) left.push({ ...delta, path });
    yield ITEM_CHARS;
  }
  return left;
}

/** Adjusts a path for elements removed before it; undefined if it was removed. */
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

function* editsByPath(edits: readonly JsonEdit[]): Work<ReadonlyMap<string, JsonEdit>> {
  const byPath = new Map<string, JsonEdit>();
  for (const edit of edits) {
    byPath.set(JSON.stringify(edit.path), edit);
    yield ITEM_CHARS;
  }
  return byPath;
}

/** Returns the edit of a path; later edits win. */
function editOf(edits: readonly JsonEdit[], path: JsonPath): JsonEdit | undefined {
  return edits.findLast(
    (edit) => edit.path.length === path.length && edit.path.every((step, index) => step === path[index]),
  );
}
