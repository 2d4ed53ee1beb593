import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { StreamEvent } from '../../providers/provider.ts';
import type { RewrittenFrame } from '../../pipeline/check.ts';
import type { Carrier } from './stream-channels.ts';

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
export function carrierFrame({ event, path }: Carrier, text: string): RewrittenFrame {
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
  if (Array.isArray(container)) {
    for (const index of container.keys()) {
      if (index !== way) edits.push({ kind: 'remove', path: [...at, index] });
    }
    return;
  }
  if (typeof container !== 'object' || container === null) return;
  for (const [name, value] of Object.entries(container)) {
    if (name === way) continue;
    const path = [...at, name];
    if (isReason(name)) edits.push({ kind: 'set', path, value: null });
    else if (Array.isArray(value)) edits.push({ kind: 'set', path, value: [] });
    else if (!isRepeatable(name, value, at.length === 0)) edits.push({ kind: 'remove', path });
  }
}

/** `finish_reason`, `stopReason`: null where nothing is finished. */
function isReason(name: string): boolean {
  return /reason$/i.test(name);
}

/** Says that an answer is over, or counts what it took. */
const ONCE = /^(?:done|is_finished)$|count$|_duration$|tokens/i;
/** What tells one element from the next, and what it is; `role` is a member that some clients insist on. */
const PLACE: ReadonlySet<string> = new Set(['index', 'type', 'role']);

function isRepeatable(name: string, value: unknown, isRoot: boolean): boolean {
  if (value === null || value === false || value === '') return true;
  if (typeof value === 'object') return false;
  if (isRoot) return !ONCE.test(name);
  return value === true || PLACE.has(name);
}

function member(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string | number, unknown>)[name];
}
