import { editedView } from '../../json/edited-view.ts';
import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { RewrittenFrame } from '../../pipeline/check.ts';
import type { StreamEvent, TextDelta } from '../../providers/provider.ts';
import type { Channel, ReadEvent } from './read-event.ts';

/** Text of a channel, up to an offset. */
interface ChannelEnd {
  readonly channel: Channel;
  readonly to: number;
}

/** A text at its place in an event. */
interface PlacedText {
  readonly path: JsonPath;
  readonly text: string;
}

/**
 * What channels held to their ends: events of their own carry it, as the last texts of the channels came. Those that came
 * in one event leave in one, since some clients read one of two as a copy.
 */
export function restsOf(ends: readonly ChannelEnd[]): readonly RewrittenFrame[] {
  const byEvent = new Map<StreamEvent, Rest>();
  for (const { channel, to } of ends) {
    const { buffer } = channel.scanner;
    const text = buffer.take(to);
    const { template } = channel;
    if (buffer.sent >= buffer.length) channel.template = undefined;
    if (text === '') continue;
    if (template === undefined) throw new Error('text was held of which no event is known');
    const { event, path, masks } = template;
    const known = byEvent.get(event);
    if (known === undefined) byEvent.set(event, { masks, texts: [{ path, text }] });
    else known.texts.push({ path, text });
  }
  return [...byEvent].map(([event, rest]) => frameFrom(event, rest));
}

/** Texts that leave in a copy of one event, and what is masked there beside them. */
interface Rest {
  readonly masks: readonly JsonEdit[];
  readonly texts: PlacedText[];
}

/** A larger frame is not kept to be copied: it waits itself until its text is decided. */
const MAX_TEMPLATE_BYTES = 16_384;

/** Whether a frame of this one's shape may be sent once more: not one that says that something begins. */
export function isTemplate({ json, frame }: StreamEvent): boolean {
  if (frame.raw.length > MAX_TEMPLATE_BYTES) return false;
  return ![frame.event, ownMember(json, 'type'), ownMember(json, 'event_type')].some(
    (name) => typeof name === 'string' && /start/i.test(name),
  );
}

/**
 * A copy of a frame that came, with other text. It keeps what says where the text belongs, and says nothing again that
 * counts: usage, reasons to finish, ids and names of calls, other texts.
 */
function frameFrom(event: StreamEvent, { masks, texts }: Rest): RewrittenFrame {
  const { frame, inner, json } = event;
  const paths = texts.map(({ path }) => path);
  const edits = editsBeside(json, paths, editedView(json, masks));
  for (const { path, text } of texts) edits.push({ kind: 'set', path, value: text });
  // Member names that are findings.
  for (const mask of masks) if (mask.kind === 'remove') edits.push(mask);
  const deltas = event.deltas.filter(({ path }) => paths.includes(path));
  return { event: { frame, ...(inner && { inner }), deltas, json }, edits, copy: true };
}

/**
 * The edits that leave of a document what says where its texts belong.
 * @param masked the document without its findings
 */
function editsBeside(json: unknown, paths: readonly JsonPath[], masked = json): JsonEdit[] {
  const edits: JsonEdit[] = [];
  addEditsBeside(edits, { json, masked }, [], paths);
  return edits;
}

/** A value of an event as it came, and without its findings. */
interface Masked {
  readonly json: unknown;
  readonly masked: unknown;
}

/** @param ways paths of texts that lead through the container at `at` */
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
    const came = ownMember(json, step);
    const path = [...at, step];
    const through = ways.filter((way) => way[depth] === step);
    if (through.length > 0) {
      addEditsBeside(edits, { json: came, masked: value }, path, through);
      continue;
    }
    const left =
      typeof step === 'number' || isAddedUp(at, step) ? undefined : leftInCopy(step, value, depth === 0);
    if (left === undefined) edits.push({ kind: 'remove', path });
    else if (left !== came) edits.push({ kind: 'set', path, value: left });
  }
}

/** The role of a chat's delta: some clients join what deltas say, member by member. */
function isAddedUp(at: JsonPath, name: string): boolean {
  return name === 'role' && at.at(-1) === 'delta';
}

/** Says that an answer is over, or counts what it took. */
const ONCE = /^(?:done|is_finished)$|count$|_duration$|tokens/i;
/** What tells one element from the next, and what it is; `role` is a member that some clients insist on. */
const PLACE: ReadonlySet<string> = new Set([
  'index',
  'contentBlockIndex',
  'jsonPath',
  'type',
  'role',
  'format',
]);

/** What is left of a member in a copy, which has the members that clients look into; undefined for nothing. */
function leftInCopy(name: string, value: unknown, isRoot: boolean): unknown {
  if (value === null || value === false || value === '') return value;
  // `finish_reason`, `stopReason`: nothing is finished.
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

/** What is said again in later events, and whole in the last of them. */
const RUNNING = /usage|^(?:timings|safetyRatings|x_groq)$|count$|_duration$|tokens/i;

/** Whether a later event can say all that an event says: it need not be sent without its texts. */
export function saysOnlyTexts({ event, ...read }: ReadEvent): boolean {
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

/** Takes out what holds a text that is emptied: a list of which nothing is left goes as a whole. */
export function emptiedParts(event: StreamEvent, emptied: readonly TextDelta[]): readonly JsonEdit[] {
  const edits: JsonEdit[] = [];
  const byList = Map.groupBy(emptied, ({ part = [] }) => JSON.stringify(part.slice(0, -1)));
  for (const deltas of byList.values()) {
    const gone: JsonPath[] = [];
    for (const { part = [], path } of deltas) {
      const holder = valueAt(event.json, part);
      const isBare = Object.keys(holder ?? {}).every((name) => name === path.at(-1) || name === 'thought');
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

function valueAt(json: unknown, path: JsonPath): object | undefined {
  let value = json;
  for (const step of path) value = ownMember(value, step);
  return typeof value === 'object' && value !== null ? value : undefined;
}

function ownMember(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string | number, unknown>)[name];
}
