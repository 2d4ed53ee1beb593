import type { JsonEdit, JsonPath } from '../../../json/path.ts';
import type { StreamEvent } from '../../../providers/provider.ts';
import type { RewrittenFrame } from '../../../pipeline/check.ts';
import type { FrameTemplate } from './stream-channels.ts';

/** A larger frame is not kept to be copied: it waits itself until its text is decided. */
const MAX_CARRIER_BYTES = 16_384;

/** Whether a frame of this one's shape may be sent once more: not one that says that something begins. */
export function canCarry({ json, frame }: StreamEvent): boolean {
  if (frame.raw.length > MAX_CARRIER_BYTES) return false;
  return ![frame.event, member(json, 'type'), member(json, 'event_type')].some(
    (name) => typeof name === 'string' && /start/i.test(name),
  );
}

/**
 * A copy of a frame that was sent, with other text. It keeps what says where the text belongs, and says nothing again
 * that counts: usage, reasons to finish, ids and names of calls, other texts.
 */
export function frameFrom({ event, path }: FrameTemplate, text: string): RewrittenFrame {
  const { frame, inner, json } = event;
  const edits: JsonEdit[] = [];
  let value = json;
  for (const [depth, step] of path.entries()) {
    addEdits(edits, value, path.slice(0, depth), step);
    value = member(value, step);
  }
  edits.push({ kind: 'set', path, value: text });
  const deltas = event.deltas.filter((delta) => delta.path === path);
  return { event: { frame, ...(inner && { inner }), deltas, json }, edits, copy: true };
}

/** The edits for what stands beside the text's way through one object or array. */
function addEdits(edits: JsonEdit[], container: unknown, at: JsonPath, way: string | number): void {
  if (typeof container !== 'object' || container === null) return;
  const isRoot = at.length === 0;
  for (const [name, value] of Object.entries(container)) {
    const step = Array.isArray(container) ? Number(name) : name;
    if (step === way) continue;
    const path = [...at, step];
    const left = typeof step === 'number' || isAddedUp(at, step) ? undefined : emptied(step, value, isRoot);
    if (left === undefined) edits.push({ kind: 'remove', path });
    else if (left !== value) edits.push({ kind: 'set', path, value: left });
  }
}

/** The role of a chat's delta: some clients join what deltas say, member by member. */
function isAddedUp(at: JsonPath, name: string): boolean {
  return name === 'role' && at.at(-1) === 'delta';
}

/** Says that an answer is over, or counts what it took. */
const ONCE = /^(?:done|is_finished)$|count$|_duration$|tokens/i;
/** What tells one element from the next, and what it is; `role` is a member that some clients insist on. */
const PLACE: ReadonlySet<string> = new Set(['index', 'contentBlockIndex', 'jsonPath', 'type', 'role']);

/** What is left of a member in a copy, which has the members that clients look into; undefined for nothing. */
function emptied(name: string, value: unknown, isRoot: boolean): unknown {
  if (value === null || value === false || value === '') return value;
  // `finish_reason`, `stopReason`: nothing is finished.
  if (/reason$/i.test(name)) return null;
  if (Array.isArray(value)) return [];
  if (typeof value === 'object') return isRoot ? undefined : emptiedObject(value);
  const isKept = isRoot ? !ONCE.test(name) : value === true || PLACE.has(name);
  return isKept ? value : undefined;
}

function emptiedObject(object: object): object {
  const members = Object.entries(object).map(([name, value]) => [name, emptied(name, value, false)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function member(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string | number, unknown>)[name];
}
