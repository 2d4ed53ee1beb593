import type { RewrittenFrame } from '../../../pipeline/check.ts';
import type { JsonEdit } from '../../../json/path.ts';
import type { StreamEvent, TextDelta } from '../../../providers/provider.ts';
import { ITEM_CHARS } from '../../../turns.ts';
import type { Work } from '../../../turns.ts';
import { frameFrom } from './frame-template.ts';
import type { MaskingBuffer } from '../scan/masking-buffer.ts';
import type { Channel } from './stream-channels.ts';

/** A part of a text on its way out. */
export interface Stretch {
  readonly buffer: MaskingBuffer;
  readonly from: number;
  readonly to: number;
}

/** One of an event's texts. */
export interface Piece extends Stretch {
  readonly delta: TextDelta;
  /** Undefined for a text that came whole. */
  readonly channel: Channel | undefined;
}

export interface SpelledToken extends Stretch {
  readonly blank: readonly JsonEdit[];
  /** Texts that the tokens stand for without spelling them: one finding there blanks them all. */
  readonly beside: readonly Stretch[];
}

/** An event that was read, and what it waits for. */
export interface StreamEntry {
  readonly event: StreamEvent;
  /** Of everything that is no piece. */
  readonly edits: readonly JsonEdit[];
  readonly pieces: readonly Piece[];
  readonly tokens: readonly SpelledToken[];
  /** Leave no token ids, where anything of the stream was masked before they are sent. */
  readonly tokenIds: readonly JsonEdit[];
  /** Texts of it that are searched and sent as they came, or not at all. */
  readonly unsent: readonly Stretch[];
  /** Channels that end with it; their text up to there must be sent by then. */
  readonly closed: readonly { readonly channel: Channel; readonly to: number }[];
  /** It is sent only once all of its text is decided. */
  readonly waits: boolean;
}

export interface Released {
  readonly before: readonly RewrittenFrame[];
  readonly edits: readonly JsonEdit[];
}

export function mayLeave({ waits, pieces, unsent }: StreamEntry): boolean {
  return !waits || (pieces.every(isSettled) && unsent.every(isSettled));
}

export function isSettled({ buffer, to }: Stretch): boolean {
  return buffer.settled >= to;
}

/**
 * Takes out of the channels what leaves with an event, and puts it into its texts. Called in order of the events.
 * @param isMasked something of the stream was masked so far
 */
export function* release(entry: StreamEntry, isMasked: boolean): Work<Released> {
  const { event, pieces, tokens, unsent, closed } = entry;
  const edits: JsonEdit[] = [...entry.edits];
  for (const token of tokens) {
    if (isBlanked(token)) edits.push(...token.blank);
    yield ITEM_CHARS;
  }
  for (const { buffer, to } of unsent) buffer.take(to);
  // All are taken before it is told what is left: some stand in one text.
  const texts: string[] = [];
  for (const { buffer, to } of pieces) {
    texts.push(buffer.take(Math.min(to, buffer.settled)));
    yield ITEM_CHARS;
  }
  const before = closed.flatMap(({ channel, to }) => restOf(channel, to));
  for (const [index, { channel, buffer, delta }] of pieces.entries()) {
    const text = texts[index] ?? '';
    if (text !== delta.text) edits.push({ kind: 'set', path: delta.path, value: text });
    yield ITEM_CHARS;
    if (channel === undefined) continue;
    channel.carrier = buffer.sent < buffer.length ? { event, path: delta.path } : undefined;
  }
  if (isMasked) for (const edit of entry.tokenIds) edits.push(edit);
  // Of two edits of one place the later holds: a member whose name is a finding goes, whatever its value becomes.
  for (const edit of entry.edits) if (edit.kind === 'remove') edits.push(edit);
  return { before, edits };
}

/** What a channel held to its end: an event of its own carries it, as the last text of the channel has left. */
export function restOf(channel: Channel, to: number): readonly RewrittenFrame[] {
  const rest = channel.scanner.buffer.take(to);
  const { carrier } = channel;
  channel.carrier = undefined;
  if (rest === '') return [];
  if (carrier === undefined) throw new Error('text was held of which no event is known');
  return [frameFrom(carrier, rest)];
}

function isBlanked({ buffer, from, to, beside }: SpelledToken): boolean {
  return buffer.isReplaced(from, to) || beside.some((text) => text.buffer.isReplaced(text.from, text.to));
}
