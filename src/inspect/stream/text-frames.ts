import { editedView } from '../../json/edit-tree.ts';
import { ownMember, valueAt, type JsonEdit, type JsonPath } from '../../json/path.ts';
import type { RewrittenFrame } from '../../pipeline/check.ts';
import type { StreamEvent, TextDelta } from '../../providers/dialect.ts';
import type { Channel, ReadEvent } from './read-event.ts';

interface ChannelEnd {
  readonly channel: Channel;
  readonly to: number;
}

interface PlacedText {
  readonly path: JsonPath;
  readonly text: string;
}

/**
 * Returns events that contain held text, in the form of the channels' last events. Texts of one event are sent in a
 * single event, because some clients treat the second of two events as a copy.
 */
export function restsOf(ends: readonly ChannelEnd[]): readonly RewrittenFrame[] {
  const byEvent = new Map<StreamEvent, Rest>();
  for (const { channel, to } of ends) {
    const { buffer } = channel.scanner;
    const text = buffer.take(to);
    const { template } = channel;
    if (buffer.sent >= buffer.length) channel.template = undefined;
    if (text === '') continue;
    if (template === undefined) throw new Error('held text has no event in which it can be sent');
    const { event, path, masks } = template;
    const known = byEvent.get(event);
    if (known === undefined) byEvent.set(event, { masks, texts: [{ path, text }] });
    else known.texts.push({ path, text });
  }
  return [...byEvent].map(([event, rest]) => frameFrom(event, rest));
}

interface Rest {
  readonly masks: readonly JsonEdit[];
  readonly texts: PlacedText[];
}

/** Larger frames are not used as templates, but wait until their text is decided. */
const MAX_TEMPLATE_BYTES = 16_384;

/** Reports whether copies of a frame may be sent, which excludes large frames and start events. */
export function isTemplate({ json, frame }: StreamEvent): boolean {
  if (frame.raw.length > MAX_TEMPLATE_BYTES) return false;
  return ![frame.event, ownMember(json, 'type'), ownMember(json, 'event_type')].some(
    (name) => typeof name === 'string' && /start/i.test(name),
  );
}

/** Keeps members that locate the texts, and omits usage, finish reasons, call ids and names, and other texts. */
function frameFrom(event: StreamEvent, { masks, texts }: Rest): RewrittenFrame {
  const { frame, inner, json } = event;
  const paths = texts.map(({ path }) => path);
  const edits = editsBeside(json, paths, editedView(json, masks));
  for (const { path, text } of texts) edits.push({ kind: 'set', path, value: text });
  for (const mask of masks) if (mask.kind === 'remove') edits.push(mask);
  const deltas = event.deltas.filter(({ path }) => paths.includes(path));
  return { event: { frame, ...(inner && { inner }), deltas, json }, edits, copy: true };
}

/**
 * Returns the edits that reduce a document to the members that locate its texts.
 * @param masked the document without its findings
 */
function editsBeside(json: unknown, paths: readonly JsonPath[], masked = json): JsonEdit[] {
  const edits: JsonEdit[] = [];
  addEditsBeside(edits, { json, masked }, [], paths);
  return edits;
}

interface Masked {
  readonly json: unknown;
  readonly masked: unknown;
}

/** @param ways paths of texts through the container at `at` */
function addEditsBeside(
  edits: JsonEdit[],
  { json, masked }: Masked,
  at: JsonPath,
  ways: readonly JsonPath[],
): void {
  if (typeof masked !== 'object' || masked === null) return;
  const depth = at.length;
  for (const [name, value] of Object.entries(masked)) {
    const step = Array.isArray(masked) ? Number(name) : name;
    const received = ownMember(json, step);
    const path = [...at, step];
    const through = ways.filter((way) => way[depth] === step);
    if (through.length > 0) {
      addEditsBeside(edits, { json: received, masked: value }, path, through);
      continue;
    }
    const left =
      typeof step === 'number' || isAddedUp(at, step) ? undefined : leftInCopy(step, value, depth === 0);
    if (left === undefined) edits.push({ kind: 'remove', path });
    else if (left !== received) edits.push({ kind: 'set', path, value: left });
  }
}

/** Detects the role of a chat delta, because some clients concatenate the members of deltas. */
function isAddedUp(at: JsonPath, name: string): boolean {
  return name === 'role' && at.at(-1) === 'delta';
}

/** Members that end an answer or count its usage. */
const ONCE = /^(?:done|is_finished)$|count$|_duration$|tokens/i;
/** Members that identify elements or their types. Some clients require `role`. */
const PLACE: ReadonlySet<string> = new Set([
  'index',
  'contentBlockIndex',
  'jsonPath',
  'type',
  'role',
  'format',
]);

/** Returns the value of a member in a copy, or undefined to omit the member. */
function leftInCopy(name: string, value: unknown, isRoot: boolean): unknown {
  if (value === null || value === false || value === '') return value;
  // `finish_reason`, `stopReason`: a copy must not end the answer.
  if (/reason$/i.test(name)) return null;
  if (Array.isArray(value)) return value.length === 0 ? value : [];
  if (typeof value === 'object') return isRoot ? undefined : objectLeftInCopy(value);
  const isKept = isRoot ? !ONCE.test(name) : value === true || PLACE.has(name);
  return isKept ? value : undefined;
}

function objectLeftInCopy(object: object): object {
  const members = Object.entries(object).map(
    ([name, value]) => [name, leftInCopy(name, value, false)] as const,
  );
  const left = members.filter(([, value]) => value !== undefined);
  const isWhole =
    left.length === members.length && left.every(([name, value]) => ownMember(object, name) === value);
  return isWhole ? object : Object.fromEntries(left);
}

/** Cumulative members, which later events repeat. */
const RUNNING = /usage|^(?:timings|safetyRatings|x_groq)$|count$|_duration$|tokens/i;

/** Reports whether later events repeat everything in an event except its texts, so that it need not be sent. */
export function hasOnlyTexts({ event, ...read }: ReadEvent): boolean {
  const { texts, closed, edits, tokenIds, unsent } = read;
  if (event.done === true || event.failed === true || event.json === undefined) return false;
  if (event.tokens !== undefined) return false;
  if (closed.length + edits.length + tokenIds.length + unsent.length > 0) return false;
  if (!texts.every(({ channel }) => channel !== undefined) || !isTemplate(event)) return false;
  const hasLeft = texts.every(({ channel }) => channel?.choice.hasLeft === true);
  const beside = editsBeside(
    event.json,
    texts.map(({ delta }) => delta.path),
  );
  return beside.every(({ path }) => {
    const name = path.at(-1);
    return typeof name === 'string' && (RUNNING.test(name) || (name === 'role' && hasLeft));
  });
}

/**
 * Returns edits that remove the elements of emptied texts, or only the text if an element has other members. An array
 * that would become empty is removed as a whole.
 */
export function emptiedParts(event: StreamEvent, emptied: readonly TextDelta[]): readonly JsonEdit[] {
  const edits: JsonEdit[] = [];
  const byList = Map.groupBy(emptied, ({ part = [] }) => JSON.stringify(part.slice(0, -1)));
  for (const deltas of byList.values()) {
    const gone: JsonPath[] = [];
    for (const { part = [], path } of deltas) {
      const isBare = Object.keys(valueAt(event.json, part) ?? {}).every(
        (name) => name === path.at(-1) || name === 'thought',
      );
      if (isBare) gone.push(part);
      else edits.push({ kind: 'remove', path });
    }
    const list = gone[0]?.slice(0, -1) ?? [];
    const all = valueAt(event.json, list);
    if (Array.isArray(all) && all.length === gone.length) edits.push({ kind: 'remove', path: list });
    else for (const path of gone) edits.push({ kind: 'remove', path });
  }
  return edits;
}
