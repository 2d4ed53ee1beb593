import type { StreamDetector } from '../../detectors/finding.ts';
import type { StreamEvent, TextDelta } from '../../providers/provider.ts';
import { createJsonScanner, beginsDocument } from '../scan/json-masker.ts';
import type { Work } from '../../turns.ts';
import type { Found } from '../inspected.ts';
import { contextOf } from '../../text/beside.ts';
import { chunksOf, createTextScanner, type ChannelScanner } from '../scan/text-scanner.ts';
import { TextPrint } from './copies.ts';
import { bufferLimitExceeded } from '../scan/masking-buffer.ts';
import { choiceOfDelta, laneOfDelta, Lanes } from './lanes.ts';
import type { BufferSpan, Channel, Choice } from './read-event.ts';

/** Texts that run at once. Answers have a few; an agent's longest has some hundreds, one after the other. */
const MAX_LIVE = 512;
/** Ended channels that are kept, should they go on. */
const MAX_ENDED = 64;
/** Those of one event that end with it count too while it is read: a tool call may hold as many strings. */
const MAX_AT_ONCE = 8192;
/** All channels together; a frame may have 4 Mi, and waits as a whole where its end is undecided. */
const MAX_KEPT_CHARS = 6_291_456;

/** Of tokens, which are never sent as text. */
const NO_CHOICE: Choice = { lane: undefined, channels: [], hasLeft: false };

/** The channels of one streamed answer; bounded, and throws GatewayError upstream_unavailable over it. */
export class StreamChannels {
  readonly #detector: StreamDetector;
  readonly #namedWords: StreamDetector | undefined;
  readonly #channels = new Map<string, Channel>();
  /** Of the texts that clients join, by their common name, the one that began last. */
  readonly #lastJoined = new Map<string, Channel>();
  readonly lanes = new Lanes();
  /** Of the events since what is kept was counted: it cannot be more. */
  #bytes = 0;

  constructor(detector: StreamDetector, namedWords?: StreamDetector) {
    this.#detector = detector;
    this.#namedWords = namedWords;
  }

  /** @param endsAtOnce the channel ends with this delta's event: if it had ended before, this is another text */
  ofDelta(delta: TextDelta, endsAtOnce: boolean): Channel {
    const known = this.#channels.get(delta.channel);
    if (known !== undefined && !(endsAtOnce && known.hasEnded)) return known;
    const scanner = this.#scannerFor(delta);
    const channel = this.#add(delta.channel, {
      scanner,
      choice: this.lanes.choiceOf(choiceOfDelta(delta)),
      lane: laneOfDelta(delta),
    });
    if (delta.joins !== undefined) this.#lastJoined.set(delta.joins, channel);
    return channel;
  }

  /** The channel of this name; undefined where nothing was said in it. */
  known(name: string): Channel | undefined {
    return this.#channels.get(name);
  }

  ofTokens(name: string): Channel {
    const known = this.#channels.get(name);
    if (known !== undefined) return known;
    return this.#add(name, { scanner: createTextScanner(this.#detector), choice: NO_CHOICE, lane: '' });
  }

  all(): Iterable<Channel> {
    return this.#channels.values();
  }

  /** Called after each event, with its length: makes room, and sees that bounds are kept. */
  settle(bytes: number): void {
    if (this.#channels.size > MAX_LIVE) this.#dropEnded();
    this.#bytes += bytes;
    if (this.#bytes <= MAX_KEPT_CHARS) return;
    this.#bytes = 0;
    for (const { scanner } of this.#channels.values()) this.#bytes += scanner.keptChars;
    if (this.#bytes > MAX_KEPT_CHARS) throw bufferLimitExceeded();
  }

  #scannerFor(delta: TextDelta): ChannelScanner {
    if (delta.isJson === true) return createJsonScanner(this.#detector);
    const before = delta.joins === undefined ? undefined : this.#lastJoined.get(delta.joins);
    // Texts that run side by side are no one text.
    const joinedTo = before?.hasEnded === true ? before.scanner.tail : '';
    if (joinedTo === '' && beginsDocument(delta)) return createJsonScanner(this.#detector);
    return createTextScanner(this.#detector, {
      context: contextBefore(delta),
      signed: delta.signed === true,
      joinedTo,
      ...(this.#namedWords !== undefined && { namedWords: this.#namedWords }),
    });
  }

  #add(name: string, place: Pick<Channel, 'scanner' | 'choice' | 'lane'>): Channel {
    if (this.#channels.size >= MAX_AT_ONCE) throw bufferLimitExceeded();
    const channel: Channel = {
      ...{ name, scanner: place.scanner, choice: place.choice, lane: place.lane },
      ...{ said: new TextPrint(), template: undefined, hasEnded: false },
    };
    this.#channels.set(name, channel);
    return channel;
  }

  /** The oldest go first; they wait to be sent nowhere else than in events that know them. */
  #dropEnded(): void {
    const ended = [...this.#channels.values()].filter(({ hasEnded }) => hasEnded);
    for (const { name } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#channels.delete(name);
    if (this.#channels.size - Math.min(ended.length, MAX_ENDED) > MAX_LIVE) throw bufferLimitExceeded();
  }
}

/** An argument is known by its name; what a model says stands in members that are named for the dialect. */
export function contextBefore({ kind, isJson, path }: TextDelta): string {
  if (kind !== 'tool_arguments' || isJson === true) return '';
  return contextOf(path.findLast((step) => typeof step === 'string'));
}

/** What ends with an event. */
export interface ChannelEnds {
  has(channel: string): boolean;
}

export const EVERY_CHANNEL: ChannelEnds = { has: () => true };

/** Undefined where no channel ends with the event. */
export function endsOf({ ends = [] }: StreamEvent): ChannelEnds | undefined {
  if (ends.length === 0) return undefined;
  if (ends.includes('*')) return EVERY_CHANNEL;
  const names = new Set(ends);
  return {
    has(channel) {
      if (names.has(channel)) return true;
      for (let slash = channel.indexOf('/'); slash >= 0; slash = channel.indexOf('/', slash + 1)) {
        if (names.has(channel.slice(0, slash + 1))) return true;
      }
      return false;
    },
  };
}

/** What searching a chunk costs beside its length, in characters: what was sent last is read with it. */
const SEARCH_CHARS = 256;

/** Adds a text to its channel; gives where it stands there. */
export function* addTo(channel: Channel, text: string, found: Found[]): Work<BufferSpan> {
  const { buffer } = channel.scanner;
  const from = buffer.length;
  channel.hasEnded = false;
  for (const chunk of chunksOf(text)) {
    for (const one of channel.scanner.push(chunk)) found.push(one);
    // What is held is searched again with each chunk.
    yield SEARCH_CHARS + Math.max(chunk.length, channel.scanner.keptChars);
  }
  return { buffer, from, to: buffer.length };
}

/** Lets everything of a channel leave. */
export function* finishChannel(channel: Channel, found: Found[]): Work<void> {
  const { scanner } = channel;
  const isOpen = scanner.buffer.settled < scanner.buffer.length;
  for (const one of scanner.finish()) found.push(one);
  channel.hasEnded = true;
  if (isOpen) yield scanner.keptChars;
}
