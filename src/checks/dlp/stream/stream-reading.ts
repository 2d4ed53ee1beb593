import type { StreamDetector } from '../../../detectors/finding.ts';
import type { StreamEvent, TextDelta } from '../../../providers/provider.ts';
import { canCarry } from './frame-template.ts';
import { LooseTexts } from './loose-texts.ts';
import { NonTextFields } from './non-text-fields.ts';
import type { SearchedValues } from './non-text-fields.ts';
import type { Found } from '../scan-batch.ts';
import { RawFrames } from './raw-frames.ts';
import { beginsDocument } from '../scan/begins-document.ts';
import { searchRawText } from '../scan/raw-text.ts';
import { spelledText, tokenGroups, tokensOf } from './logprob-tokens.ts';
import type { TokenGroup } from './logprob-tokens.ts';
import { contextBefore, endsOf, EVERY_CHANNEL, StreamChannels } from './stream-channels.ts';
import type { Channel, ChannelEnds } from './stream-channels.ts';
import { isSettled } from './stream-entry.ts';
import type { Piece, SpelledToken, StreamEntry, Stretch } from './stream-entry.ts';
import { piecesOf } from '../scan/pieces.ts';
import type { Work } from '../../../turns.ts';
import { WholeTexts } from '../scan/whole-texts.ts';

const NOTHING_READ = {
  edits: [],
  tokenIds: [],
  pieces: [],
  tokens: [],
  unsent: [],
  closed: [],
  waits: false,
};

/** What searching a piece costs beside its length, in characters: what was sent last is read with it. */
const SEARCH_CHARS = 256;

/** How a stream is searched. */
export interface StreamSearch {
  readonly detector: StreamDetector;
  /** For names of members, numbers and identifiers that are no text of the answer's, where it is another one. */
  readonly names?: StreamDetector;
  /** Arguments of tools that the dialect knows for them are left alone. */
  readonly passesArguments?: boolean;
}

/** Searches the events of one stream, and keeps its texts until they are decided. */
export class StreamReading {
  readonly #channels: StreamChannels;
  /** Tokens that do not spell the text of their event are a text of their own, which is never sent. */
  readonly #tokenChannels: StreamChannels;
  readonly #wholeTexts: WholeTexts;
  readonly #nonTextFields: NonTextFields;
  readonly #rawFrames: RawFrames;
  readonly #looseTexts: LooseTexts;
  readonly #passesArguments: boolean;

  constructor({ detector, names = detector, passesArguments = false }: StreamSearch) {
    this.#passesArguments = passesArguments;
    this.#channels = new StreamChannels(detector);
    this.#tokenChannels = new StreamChannels(detector);
    this.#wholeTexts = new WholeTexts(detector);
    this.#nonTextFields = new NonTextFields(detector, names);
    this.#rawFrames = new RawFrames(detector, this.#wholeTexts);
    this.#looseTexts = new LooseTexts(detector);
  }

  /** Searches an event; adds what is decided now to `found`. */
  *read(event: StreamEvent, found: Found[]): Work<StreamEntry> {
    const raw = event.json === undefined ? yield* this.#rawFrames.read(event, found) : undefined;
    if (raw !== undefined) return { ...NOTHING_READ, event, pieces: [raw], waits: true };
    if (event.sideband !== true) this.#rawFrames.finish(found);
    this.#looseTexts.beginEvent(found);
    const { edits, tokenIds } = yield* this.#readOther(event, found);
    const ends = endsOf(event);
    const pieces: Piece[] = [];
    for (const delta of event.deltas) {
      if (this.#passesArguments && delta.kind === 'tool_arguments') continue; // its event carries it as it came
      pieces.push(yield* this.#readText(delta, ends, found));
    }
    const { tokens, unsent } = yield* this.#readTokens(event, pieces, found);
    const closed = ends === undefined ? [] : yield* this.#finish(ends, found);
    if (ends === EVERY_CHANNEL) this.#looseTexts.finish(found);
    const mayMove = canCarry(event) && !event.deltas.some(({ loose }) => loose === true);
    const waits = tokens.length > 0 || tokenIds.length > 0 || (!pieces.every(isSettled) && !mayMove);
    return { event, edits, tokenIds, pieces, tokens, unsent, closed, waits };
  }

  /** Ends all there is. */
  *finishAll(found: Found[]): Work<StreamEntry['closed']> {
    this.#rawFrames.finish(found);
    this.#looseTexts.finish(found);
    return yield* this.#finish(EVERY_CHANNEL, found);
  }

  /** Ends channels; gives those that are sent, and how far they have come. */
  *#finish(ends: ChannelEnds, found: Found[]): Work<StreamEntry['closed']> {
    for (const channel of this.#tokenChannels.all()) {
      if (ends.has(channel.name)) yield* finishChannel(channel, found);
    }
    const closed: { channel: Channel; to: number }[] = [];
    for (const channel of this.#channels.all()) {
      if (channel.hasEnded || !ends.has(channel.name)) continue;
      yield* finishChannel(channel, found);
      closed.push({ channel, to: channel.scanner.buffer.length });
    }
    return closed;
  }

  /**
   * Called when an event is on its way: makes room.
   * @throws GatewayError upstream_unavailable where too much is held
   */
  settle({ frame }: StreamEvent): void {
    this.#channels.settle(frame.raw.length);
    this.#tokenChannels.settle(frame.raw.length);
    this.#looseTexts.settle(frame.raw.length);
  }

  *#readOther(event: StreamEvent, found: Found[]): Work<SearchedValues> {
    const { json } = event;
    if (typeof json === 'object' && json !== null) {
      return yield* this.#nonTextFields.search(json, event, found);
    }
    if (typeof json !== 'string') return NOTHING_READ;
    const buffer =
      event.sideband === true
        ? yield* searchRawText(this.#wholeTexts, json, found)
        : yield* this.#wholeTexts.search({ text: json }, found);
    const value = buffer.take(buffer.length);
    return { edits: value === json ? [] : [{ kind: 'set', path: [], value }], tokenIds: [] };
  }

  *#readText(delta: TextDelta, ends: ChannelEnds | undefined, found: Found[]): Work<Piece> {
    if (delta.repeats === true) {
      const isJson = delta.isJson === true || beginsDocument(delta);
      const whole = { ...delta, isJson, context: contextBefore(delta) };
      const buffer = yield* this.#wholeTexts.search(whole, found);
      if (delta.loose === true) return yield* this.#looseTexts.read(delta, buffer, found);
      return { delta, buffer, from: 0, to: buffer.length, channel: undefined };
    }
    const channel = this.#channels.ofDelta(delta, ends?.has(delta.channel) === true);
    return { ...(yield* addTo(channel, delta.text, found)), delta, channel };
  }

  *#readTokens(
    event: StreamEvent,
    pieces: readonly Piece[],
    found: Found[],
  ): Work<Pick<StreamEntry, 'tokens' | 'unsent'>> {
    if (event.tokens === undefined) return NOTHING_READ;
    const tokens: SpelledToken[] = [];
    const unsent: Stretch[] = [];
    for (const group of tokenGroups(event.tokens, pieces)) {
      const own = spelledText(group);
      const stretch = own ?? (yield* this.#readSpelled(group, found));
      if (own === undefined) unsent.push(stretch);
      for (const token of tokensOf(group, stretch, own === undefined ? group.pieces : [])) tokens.push(token);
    }
    return { tokens, unsent };
  }

  /** Tokens as a text of their own. */
  *#readSpelled({ channel, spelled, pieces }: TokenGroup, found: Found[]): Work<Stretch> {
    if (pieces.every((piece) => piece.channel !== undefined)) {
      return yield* addTo(this.#tokenChannels.ofTokens(channel), spelled, found);
    }
    const buffer = yield* this.#wholeTexts.search({ text: spelled }, found);
    return { buffer, from: 0, to: buffer.length };
  }
}

function* addTo(channel: Channel, text: string, found: Found[]): Work<Stretch> {
  const { buffer } = channel.scanner;
  const from = buffer.length;
  channel.hasEnded = false;
  for (const piece of piecesOf(text)) {
    for (const one of channel.scanner.push(piece)) found.push(one);
    // What is held is searched again with each piece.
    yield SEARCH_CHARS + Math.max(piece.length, channel.scanner.keptChars);
  }
  return { buffer, from, to: buffer.length };
}

function* finishChannel(channel: Channel, found: Found[]): Work<void> {
  const { scanner } = channel;
  const isOpen = scanner.buffer.settled < scanner.buffer.length;
  for (const one of scanner.finish()) found.push(one);
  channel.hasEnded = true;
  if (isOpen) yield scanner.keptChars;
}
