import { addAll } from '../../add-all.ts';
import type { StreamDetector } from '../../detectors/finding.ts';
import type { StreamEvent, TextDelta } from '../../providers/dialect.ts';
import { createJsonScanner, beginsDocument } from '../scan/json-masker.ts';
import type { Work } from '../../turns.ts';
import type { Found } from '../inspected.ts';
import { contextOf } from '../../text/beside.ts';
import { createTextScanner, pushAll, type BufferSpan, type ChannelScanner } from '../scan/text-scanner.ts';
import { TextPrint } from './copies.ts';
import { bufferLimitExceeded, KeptBound } from '../scan/masking-buffer.ts';
import { choiceOfDelta, laneOfDelta, Lanes } from './lanes.ts';
import type { Channel, Choice } from './read-event.ts';

/** Maximum number of channels between events. Most answers have a few; long agent answers have hundreds in sequence. */
const MAX_LIVE = 512;
/** Number of ended channels kept in case they continue. */
const MAX_ENDED = 64;
/** Maximum number of channels, including those that the current event ends. A tool call may have as many strings. */
const MAX_AT_ONCE = 8192;

/** For token channels, which are never sent. */
const NO_CHOICE: Choice = { lane: undefined, channels: [], hasLeft: false };

/** @throws GatewayError upstream_unavailable if a limit is exceeded */
export class StreamChannels {
  readonly #detector: StreamDetector;
  readonly #namedWords: StreamDetector | undefined;
  readonly #channels = new Map<string, Channel>();
  readonly #lastJoined = new Map<string, Channel>();
  readonly lanes = new Lanes();
  readonly #kept = new KeptBound();

  constructor(detector: StreamDetector, namedWords?: StreamDetector) {
    this.#detector = detector;
    this.#namedWords = namedWords;
  }

  /** @param endsAtOnce whether the channel ends with this event; if it had already ended, a new text begins */
  forDelta(delta: TextDelta, endsAtOnce: boolean): Channel {
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

  known(name: string): Channel | undefined {
    return this.#channels.get(name);
  }

  forTokens(name: string): Channel {
    const known = this.#channels.get(name);
    if (known !== undefined) return known;
    return this.#add(name, { scanner: createTextScanner(this.#detector), choice: NO_CHOICE, lane: '' });
  }

  all(): Iterable<Channel> {
    return this.#channels.values();
  }

  /** Evicts ended channels and enforces the limits. Must be called after each event. */
  settle(bytes: number): void {
    if (this.#channels.size > MAX_LIVE) this.#dropEnded();
    this.#kept.assertRoom(bytes, this.#channels.values());
  }

  #scannerFor(delta: TextDelta): ChannelScanner {
    if (delta.isJson === true) return createJsonScanner(this.#detector);
    const before = delta.joins === undefined ? undefined : this.#lastJoined.get(delta.joins);
    // Clients do not join concurrent texts.
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
      ...{ print: new TextPrint(), template: undefined, hasEnded: false },
    };
    this.#channels.set(name, channel);
    return channel;
  }

  /** Evicts the oldest channels first. Waiting events keep references to their channels. */
  #dropEnded(): void {
    const ended = [...this.#channels.values()].filter(({ hasEnded }) => hasEnded);
    for (const { name } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#channels.delete(name);
    if (this.#channels.size - Math.min(ended.length, MAX_ENDED) > MAX_LIVE) throw bufferLimitExceeded();
  }
}

/**
 * Returns an argument's name as context. Returns an empty string for other texts, whose member names the dialect
 * defines.
 */
export function contextBefore({ kind, isJson, path }: TextDelta): string {
  if (kind !== 'tool_arguments' || isJson === true) return '';
  return contextOf(path.findLast((step) => typeof step === 'string'));
}

export interface ChannelEnds {
  has(channel: string): boolean;
}

export const EVERY_CHANNEL: ChannelEnds = { has: () => true };

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

/** Cost of searching a piece in addition to its length, because recently sent text is searched again. */
const SEARCH_CHARS = 256;

export function* addTo(channel: Channel, text: string, found: Found[]): Work<BufferSpan> {
  const { scanner } = channel;
  channel.hasEnded = false;
  const span = yield* pushAll(scanner, text, found);
  yield SEARCH_CHARS + scanner.keptChars;
  return span;
}

/** Returns the cost of the search in characters. */
export function finishChannel(channel: Channel, found: Found[]): number {
  const { scanner } = channel;
  const isOpen = scanner.buffer.settled < scanner.buffer.length;
  addAll(found, scanner.finish());
  channel.hasEnded = true;
  return isOpen ? scanner.keptChars : 0;
}
