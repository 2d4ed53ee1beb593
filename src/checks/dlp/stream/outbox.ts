import type { JsonEdit, JsonPath } from '../../../json/path.ts';
import type { RewrittenFrame } from '../../../pipeline/check.ts';
import type { StreamEvent, TextDelta } from '../../../providers/provider.ts';
import { ITEM_CHARS, type Work } from '../../../turns.ts';
import { bufferLimitExceeded, type MaskingBuffer } from '../scan/masking-buffer.ts';
import type { Channel, FrameTemplate } from './channels.ts';

/** A part of a text on its way out. */
export interface BufferSpan {
  readonly buffer: MaskingBuffer;
  readonly from: number;
  readonly to: number;
}

/** One of an event's texts. */
export interface EventText extends BufferSpan {
  readonly delta: TextDelta;
  /** Undefined for a text that came whole. */
  readonly channel: Channel | undefined;
}

/** A token of an event, with what it spells. */
export interface EventToken extends BufferSpan {
  readonly blank: readonly JsonEdit[];
  /** Texts that the tokens stand for without spelling them: one finding there blanks them all. */
  readonly standFor: readonly BufferSpan[];
}

/** An event that was read, and what it waits for. */
export interface ReadEvent {
  readonly event: StreamEvent;
  /** Of everything that is no text. */
  readonly edits: readonly JsonEdit[];
  readonly texts: readonly EventText[];
  readonly tokens: readonly EventToken[];
  /** Leave no token ids, where anything of the stream was masked before they are sent. */
  readonly tokenIds: readonly JsonEdit[];
  /** Texts of it that are searched and sent as they came, or not at all. */
  readonly unsent: readonly BufferSpan[];
  /** Channels that end with it; their text up to there must be sent by then. */
  readonly closed: readonly { readonly channel: Channel; readonly to: number }[];
  /** It is sent only once all of its text is decided. */
  readonly waits: boolean;
}

/** What may leave: other events before one, and its own edits. */
interface Released {
  readonly before: readonly RewrittenFrame[];
  readonly edits: readonly JsonEdit[];
}

const MAX_EVENTS = 4096;
/** Twice what a frame may have. */
const MAX_BYTES = 8_388_608;

/**
 * Servers say the ids of a token before its text, where that is part of a character or may be a word to stop at: so many
 * characters more must be decided before ids leave.
 */
const LEAD_CHARS = 64;

/** Events in the order in which they are sent: one that waits keeps those behind it. Bounded. */
export class Outbox {
  readonly #isMasked: () => boolean;
  #events: ReadEvent[] = [];
  #bytes = 0;

  /** @param isMasked something of the stream was masked so far */
  constructor(isMasked: () => boolean) {
    this.#isMasked = isMasked;
  }

  /**
   * Adds an event, and gives what may leave: others before it, and its own edits unless it is held.
   * @throws GatewayError upstream_unavailable where too much waits
   */
  *add(read: ReadEvent): Work<Released & { readonly isHeld: boolean }> {
    if (this.#events.length === 0 && read.tokenIds.length === 0 && mayLeave(read)) {
      return { ...(yield* release(read, false)), isHeld: false };
    }
    this.#events.push(read);
    this.#bytes += read.event.frame.raw.length;
    const before = yield* this.#release(false);
    const last = before.at(-1);
    if (last?.event === read.event && last.copy !== true) {
      return { before: before.slice(0, -1), edits: last.edits, isHeld: false };
    }
    if (this.#events.length > MAX_EVENTS || this.#bytes > MAX_BYTES) throw bufferLimitExceeded();
    return { before, edits: [], isHeld: true };
  }

  /** The stream is over: the events that wait for no text, in order. */
  *releaseLast(): Work<readonly RewrittenFrame[]> {
    return yield* this.#release(true);
  }

  *#release(isOver: boolean): Work<readonly RewrittenFrame[]> {
    const frames: RewrittenFrame[] = [];
    const isMasked = this.#isMasked();
    let count = 0;
    for (const read of this.#events) {
      if (!mayLeave(read)) break;
      if (!isOver && read.tokenIds.length > 0 && !this.#isFollowed(count)) break;
      count += 1;
      this.#bytes -= read.event.frame.raw.length;
      const { before, edits } = yield* release(read, isMasked);
      frames.push(...before, { event: read.event, edits });
    }
    this.#events.splice(0, count);
    return frames;
  }

  /** Whether enough of the text behind an event is decided, or there is no more of it. */
  #isFollowed(at: number): boolean {
    let chars = 0;
    for (let next = at; next < this.#events.length; next += 1) {
      const read = this.#events[next];
      if (read === undefined || !read.texts.every(isSettled)) return false;
      if (read.event.done === true) return true;
      if (next > at) for (const { from, to } of read.texts) chars += to - from;
      if (chars >= LEAD_CHARS) return true;
    }
    return false;
  }
}

function mayLeave({ waits, texts, unsent }: ReadEvent): boolean {
  return !waits || (texts.every(isSettled) && unsent.every(isSettled));
}

export function isSettled({ buffer, to }: BufferSpan): boolean {
  return buffer.settled >= to;
}

/**
 * Takes out of the channels what leaves with an event, and puts it into its texts. Called in order of the events.
 * @param isMasked something of the stream was masked so far
 */
function* release(read: ReadEvent, isMasked: boolean): Work<Released> {
  const { event, texts, tokens, unsent, closed } = read;
  const edits: JsonEdit[] = [...read.edits];
  for (const token of tokens) {
    if (isBlanked(token)) edits.push(...token.blank);
    yield ITEM_CHARS;
  }
  for (const { buffer, to } of unsent) buffer.take(to);
  // All are taken before it is told what is left: some stand in one text.
  const values: string[] = [];
  for (const { buffer, to } of texts) {
    values.push(buffer.take(Math.min(to, buffer.settled)));
    yield ITEM_CHARS;
  }
  const before = closed.flatMap(({ channel, to }) => restOf(channel, to));
  for (const [index, { channel, buffer, delta }] of texts.entries()) {
    const value = values[index] ?? '';
    if (value !== delta.text) edits.push({ kind: 'set', path: delta.path, value });
    yield ITEM_CHARS;
    if (channel === undefined) continue;
    channel.template = buffer.sent < buffer.length ? { event, path: delta.path } : undefined;
  }
  if (isMasked) for (const edit of read.tokenIds) edits.push(edit);
  // Of two edits of one place the later holds: a member whose name is a finding goes, whatever its value becomes.
  for (const edit of read.edits) if (edit.kind === 'remove') edits.push(edit);
  return { before, edits };
}

function isBlanked({ buffer, from, to, standFor }: EventToken): boolean {
  return buffer.isReplaced(from, to) || standFor.some((text) => text.buffer.isReplaced(text.from, text.to));
}

/** What a channel held to its end: an event of its own carries it, as the last text of the channel has left. */
export function restOf(channel: Channel, to: number): readonly RewrittenFrame[] {
  const rest = channel.scanner.buffer.take(to);
  const { template } = channel;
  channel.template = undefined;
  if (rest === '') return [];
  if (template === undefined) throw new Error('text was held of which no event is known');
  return [frameFrom(template, rest)];
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
 * A copy of a frame that was sent, with other text. It keeps what says where the text belongs, and says nothing again
 * that counts: usage, reasons to finish, ids and names of calls, other texts.
 */
function frameFrom({ event, path }: FrameTemplate, text: string): RewrittenFrame {
  const { frame, inner, json } = event;
  const edits: JsonEdit[] = [];
  let value = json;
  for (const [depth, step] of path.entries()) {
    addEdits(edits, value, path.slice(0, depth), step);
    value = ownMember(value, step);
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
    const left =
      typeof step === 'number' || isAddedUp(at, step) ? undefined : leftInCopy(step, value, isRoot);
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
function leftInCopy(name: string, value: unknown, isRoot: boolean): unknown {
  if (value === null || value === false || value === '') return value;
  // `finish_reason`, `stopReason`: nothing is finished.
  if (/reason$/i.test(name)) return null;
  if (Array.isArray(value)) return [];
  if (typeof value === 'object') return isRoot ? undefined : objectLeftInCopy(value);
  const isKept = isRoot ? !ONCE.test(name) : value === true || PLACE.has(name);
  return isKept ? value : undefined;
}

function objectLeftInCopy(object: object): object {
  const members = Object.entries(object).map(
    ([name, value]) => [name, leftInCopy(name, value, false)] as const,
  );
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function ownMember(value: unknown, name: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string | number, unknown>)[name];
}
