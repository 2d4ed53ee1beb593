import { addAll } from '../../add-all.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { RewrittenFrame } from '../../pipeline/check.ts';
import type { TextDelta } from '../../providers/dialect.ts';
import { ITEM_CHARS, type Work } from '../../turns.ts';
import { bufferLimitExceeded } from '../scan/masking-buffer.ts';
import { emptiedParts, restsOf, hasOnlyTexts } from './text-frames.ts';
import type { BufferSpan } from '../scan/text-scanner.ts';
import type { EventText, ReadEvent } from './read-event.ts';

interface Released {
  readonly before: readonly RewrittenFrame[];
  readonly edits: readonly JsonEdit[];
}

interface ReleasedEvent extends Released {
  readonly isEmptied: boolean;
}

const MAX_EVENTS = 4096;
/** Twice the largest frame. */
const MAX_BYTES = 8_388_608;

/**
 * Number of characters after an event that must be decided before its token ids are sent. Servers send ids before their
 * text if the text is part of a character or may be a stop word.
 */
const LEAD_CHARS = 64;

/** Events in sending order, limited in number and size. A waiting event holds back the events after it. */
export class Outbox {
  readonly #isMasked: () => boolean;
  #events: ReadEvent[] = [];
  #bytes = 0;

  constructor(isMasked: () => boolean) {
    this.#isMasked = isMasked;
  }

  /**
   * Adds an event. Returns earlier events to send, and the edits of the event itself unless it is held back.
   * @throws GatewayError upstream_unavailable if too many events or bytes are waiting
   */
  *add(read: ReadEvent): Work<Released & { readonly isHeld: boolean }> {
    if (this.#events.length === 0 && read.tokenIds.length === 0 && mayLeave(read)) {
      const { isEmptied, ...released } = yield* release(read, this.#isMasked());
      return { ...released, isHeld: isEmptied };
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

  /** Returns the events that do not wait for text, in order. Must be called at the end of the stream. */
  releaseLast(): Work<readonly RewrittenFrame[]> {
    return this.#release(true);
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
      const { before, edits, isEmptied } = yield* release(read, isMasked);
      addAll(frames, before);
      if (!isEmptied) frames.push({ event: read.event, edits });
    }
    this.#events.splice(0, count);
    return frames;
  }

  /** Reports whether enough text after an event is decided, or the stream is done. */
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

function mayLeave(read: ReadEvent): boolean {
  const { waits, texts, unsent, follows } = read;
  if (waits && !(texts.every(isSettled) && unsent.every(isSettled))) return false;
  if (!follows.every(({ channel, to, isGivenUp }) => isGivenUp || channel.scanner.buffer.settled >= to)) {
    return false;
  }
  return !needsText(read) || follows.some(({ isGivenUp }) => isGivenUp);
}

/** Reports whether the event would be sent with empty parts, because it has undecided text and other content. */
function needsText(read: ReadEvent): boolean {
  const { texts } = read;
  if (!texts.some(({ delta, buffer }) => delta.part !== undefined && buffer.settled <= buffer.sent))
    return false;
  return texts.every(isEmpty) && !texts.every(isSettled) && !hasOnlyTexts(read);
}

function isEmpty({ channel, buffer, to }: EventText): boolean {
  return channel !== undefined && Math.min(to, buffer.settled) <= buffer.sent;
}

export function isSettled({ buffer, to }: BufferSpan): boolean {
  return buffer.settled >= to;
}

/**
 * Takes the text to send with an event from its channels. Must be called in the order of events.
 * @param isMasked whether anything has been masked so far
 */
function* release(read: ReadEvent, isMasked: boolean): Work<ReleasedEvent> {
  const { event, texts, unsent, closed, follows } = read;
  const edits: JsonEdit[] = [...read.edits];
  for (const { blank } of isMasked ? (event.tokens ?? []) : []) {
    edits.push(...blank);
    yield ITEM_CHARS;
  }
  for (const { buffer, to } of unsent) buffer.take(to);
  // All texts are taken before the remainders are computed, because several may belong to one channel.
  const values: string[] = [];
  let isEmptied = texts.length > 0;
  for (const { buffer, to } of texts) {
    const value = buffer.take(Math.min(to, buffer.settled));
    if (value !== '') isEmptied = false;
    values.push(value);
    yield ITEM_CHARS;
  }
  isEmptied = isEmptied && hasOnlyTexts(read);
  const rests = follows.filter(({ isGivenUp }) => !isGivenUp);
  const before = rests.length + closed.length === 0 ? [] : restsOf([...rests, ...closed]);
  const emptied: TextDelta[] = [];
  for (const [index, { channel, buffer, delta }] of texts.entries()) {
    const value = values[index] ?? '';
    if (value === '' && delta.part !== undefined) emptied.push(delta);
    else if (value !== delta.text) edits.push({ kind: 'set', path: delta.path, value });
    yield ITEM_CHARS;
    if (channel === undefined) continue;
    if (!isEmptied) channel.choice.hasLeft = true;
    channel.template =
      buffer.sent < buffer.length ? { event, path: delta.path, masks: read.edits } : undefined;
  }
  if (isEmptied) return { before, edits: [], isEmptied };
  if (emptied.length > 0) for (const edit of emptiedParts(event, emptied)) edits.push(edit);
  if (isMasked) for (const edit of read.tokenIds) edits.push(edit);
  // Later edits win, so a member with a finding in its name is removed, whatever its value.
  for (const edit of read.edits) if (edit.kind === 'remove') edits.push(edit);
  return { before, edits, isEmptied };
}
