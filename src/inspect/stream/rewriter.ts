import { addAll } from '../../add-all.ts';
import type { StreamDetector } from '../../detectors/finding.ts';
import { HEADER } from '../../headers.ts';
import {
  PASS_EVENT,
  type Denial,
  type RewrittenFrame,
  type StreamAction,
  type StreamRewriter,
  type StreamTail,
} from '../../pipeline/check.ts';
import type { StreamEvent, TextDelta } from '../../providers/dialect.ts';
import { inTurns, LONG_STEP, type Work } from '../../turns.ts';
import { assertMaskable, type Found } from '../inspected.ts';
import { beginsDocument } from '../scan/json-masker.ts';
import { WholeTexts } from '../scan/whole-texts.ts';
import {
  addTo,
  contextBefore,
  endsOf,
  EVERY_CHANNEL,
  finishChannel,
  StreamChannels,
  type ChannelEnds,
} from './channels.ts';
import { Copies, TextPrint } from './copies.ts';
import { LooseTexts, RawFrames } from './loose-texts.ts';
import { NonTextFields, type SearchedValues } from './non-text-fields.ts';
import { isSettled, Outbox } from './outbox.ts';
import type { BufferSpan } from '../scan/text-scanner.ts';
import type { Channel, EventText, ReadEvent } from './read-event.ts';
import { isTemplate, restsOf } from './text-frames.ts';

export interface StreamSearch {
  readonly detector: StreamDetector;
  /** Searches member names, numbers and identifiers outside texts. Defaults to `detector`. */
  readonly names?: StreamDetector;
  /** The part of `detector` for words named by a rule. Possible beginnings of these words are not sent early. */
  readonly namedWords?: StreamDetector;
  /** Skips tool arguments known to the dialect. */
  readonly passesArguments?: boolean;
}

/** Judges the findings of one stream, and collects descriptions without their texts. */
export interface FindingsJudge {
  readonly any: boolean;
  /** Returns a denial that cuts the stream if a finding must not pass, even masked. */
  judge(found: readonly Found[]): Denial | undefined;
  /** Returns what was masked since the last call, or undefined. */
  takeReason(): string | undefined;
}

/**
 * Creates the rewriter of one stream, which masks event by event or cuts the stream. Text that cannot be part of a
 * finding is sent immediately and in order; other text is sent with a later event of its channel. Events without
 * findings keep their bytes, except for text that moves to a later event, and for token ids once anything has been
 * masked.
 * @throws GatewayError upstream_unavailable from the rewriter if too much text would be held back
 */
export function createMaskingRewriter(search: StreamSearch, findings: FindingsJudge): StreamRewriter {
  const stream = new MaskedStream(search, findings);
  return {
    event: (event) => inTurns(stream.event(event)),
    end: () => inTurns(stream.end()),
    comment: () => stream.comment,
  };
}

const MANY_FINDINGS = 10_000;
const NOTHING_READ = {
  edits: [],
  tokenIds: [],
  texts: [],
  unsent: [],
  closed: [],
  follows: [],
  waits: false,
};

class MaskedStream {
  readonly #findings: FindingsJudge;
  readonly #outbox = new Outbox(() => this.#findings.any);
  readonly #channels: StreamChannels;
  /** Channels of tokens that do not spell their event's text. Never sent. */
  readonly #tokenChannels: StreamChannels;
  readonly #wholeTexts: WholeTexts;
  readonly #nonTextFields: NonTextFields;
  readonly #rawFrames: RawFrames;
  readonly #looseTexts: LooseTexts;
  readonly #copies: Copies;
  readonly #passesArguments: boolean;

  constructor(
    { detector, names = detector, namedWords, passesArguments = false }: StreamSearch,
    findings: FindingsJudge,
  ) {
    this.#findings = findings;
    this.#passesArguments = passesArguments;
    this.#channels = new StreamChannels(detector, namedWords);
    this.#tokenChannels = new StreamChannels(detector);
    this.#wholeTexts = new WholeTexts(detector);
    this.#nonTextFields = new NonTextFields(detector, names);
    this.#rawFrames = new RawFrames(detector, this.#wholeTexts);
    this.#looseTexts = new LooseTexts(detector);
    this.#copies = new Copies(detector);
  }

  /** Reports masking in a comment, because the headers have been sent. */
  get comment(): string | undefined {
    return this.#findings.any ? `${HEADER.dlpRedacted}=true` : undefined;
  }

  *event(event: StreamEvent): Work<StreamAction> {
    const found: Found[] = [];
    const read = yield* this.#read(event, found);
    if (found.length > MANY_FINDINGS) yield LONG_STEP;
    const denial = this.#findings.judge(found);
    if (denial !== undefined) return { kind: 'cut', denial };
    assertMaskable(found.length, true, 'answer');
    const reason = this.#findings.takeReason();
    // Each pass over all findings gets a separate event-loop turn.
    if (found.length > MANY_FINDINGS) yield LONG_STEP;
    // A sideband event bypasses the outbox, because it has no place in the order of texts.
    const isAlone = event.sideband === true;
    const released = isAlone
      ? { before: [], edits: read.edits, isHeld: false }
      : yield* this.#outbox.add(read);
    this.#settle(event);
    if (found.length > MANY_FINDINGS) yield LONG_STEP;
    const { before, edits, isHeld } = released;
    if (before.length === 0 && edits.length === 0 && !isHeld && reason === undefined) return PASS_EVENT;
    return {
      kind: 'rewrite',
      ...(before.length > 0 && { before }),
      ...(edits.length > 0 && { edits }),
      ...(isHeld && { held: true }),
      ...(reason !== undefined && { reason }),
    };
  }

  *end(): Work<StreamTail | undefined> {
    const found: Found[] = [];
    this.#rawFrames.finish(found);
    this.#looseTexts.finish(found);
    const closed = yield* this.#finish(EVERY_CHANNEL, found);
    const cut = this.#findings.judge(found);
    if (cut !== undefined) return { cut };
    const before: RewrittenFrame[] = [...(yield* this.#outbox.releaseLast())];
    addAll(before, restsOf(closed));
    const reason = this.#findings.takeReason();
    if (before.length === 0 && reason === undefined) return undefined;
    return {
      ...(before.length > 0 && { before }),
      ...(reason !== undefined && { reason }),
    };
  }

  *#read(event: StreamEvent, found: Found[]): Work<ReadEvent> {
    const raw = event.json === undefined ? yield* this.#rawFrames.read(event, found) : undefined;
    if (raw !== undefined) return { ...NOTHING_READ, event, texts: [raw], waits: true };
    if (event.sideband !== true) this.#rawFrames.finish(found);
    this.#looseTexts.beginEvent(found);
    const { edits, tokenIds } = yield* this.#readOther(event, found);
    const ends = endsOf(event);
    const texts: EventText[] = [];
    for (const delta of event.deltas) {
      if (this.#passesArguments && delta.kind === 'tool_arguments') continue; // sent as received
      texts.push(yield* this.#readText(delta, ends, found));
    }
    const unsent = yield* this.#readTokens(event, texts, found);
    const closed = ends === undefined ? [] : yield* this.#finish(ends, found);
    const follows = this.#follow(event, texts);
    if (ends === EVERY_CHANNEL) this.#looseTexts.finish(found);
    const mayMove = isTemplate(event) && !event.deltas.some(({ loose }) => loose === true);
    const hasTokens = event.tokens !== undefined || tokenIds.length > 0;
    const waits = hasTokens || (!texts.every(isSettled) && !mayMove);
    return { event, edits, tokenIds, texts, unsent, closed, follows, waits };
  }

  #follow(event: StreamEvent, texts: readonly EventText[]): ReadEvent['follows'] {
    const { lanes } = this.#channels;
    lanes.settle(event.frame.raw.length);
    return lanes.follow(lanes.leftBy(event, texts, this.#passesArguments));
  }

  /** Ends channels. Returns those that are sent, with their lengths. */
  *#finish(ends: ChannelEnds, found: Found[]): Work<ReadEvent['closed']> {
    for (const channel of this.#tokenChannels.all()) {
      if (ends.has(channel.name)) yield finishChannel(channel, found);
    }
    const closed: { channel: Channel; to: number }[] = [];
    for (const channel of this.#channels.all()) {
      if (channel.hasEnded || !ends.has(channel.name)) continue;
      yield finishChannel(channel, found);
      closed.push({ channel, to: channel.scanner.buffer.length });
    }
    return closed;
  }

  /** @throws GatewayError upstream_unavailable if too much text is held back */
  #settle({ frame }: StreamEvent): void {
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
        ? yield* this.#wholeTexts.searchRaw(json, found)
        : yield* this.#wholeTexts.search({ text: json }, found);
    const value = yield* buffer.takeAll();
    return { edits: value === json ? [] : [{ kind: 'set', path: [], value }], tokenIds: [] };
  }

  *#readText(delta: TextDelta, ends: ChannelEnds | undefined, found: Found[]): Work<EventText> {
    if (this.#isCopy(delta)) {
      const isJson = delta.isJson === true || beginsDocument(delta);
      const whole = { ...delta, isJson, context: contextBefore(delta) };
      const buffer = yield* this.#wholeTexts.search(whole, found);
      if (delta.loose === true) return yield* this.#looseTexts.read(delta, buffer, found);
      return { delta, buffer, from: 0, to: buffer.length, channel: undefined };
    }
    const channel = this.#channels.forDelta(delta, ends?.has(delta.channel) === true);
    if (channel.hasEnded) channel.print = new TextPrint();
    channel.print.add(delta.text);
    this.#copies.nextPiece(channel.name, delta.text);
    return { ...(yield* addTo(channel, delta.text, found)), delta, channel };
  }

  /**
   * Reports whether a text is searched separately: a copy of its channel's text, or a whole text.
   * @throws GatewayError upstream_unavailable if it could continue its channel's text with a finding across the seam
   */
  #isCopy({ text, copies, repeats }: TextDelta): boolean {
    const isWhole = repeats === true;
    if (copies === undefined) return isWhole;
    const channel = this.#channels.known(copies);
    if (channel?.print.isLast(text) === true) return isWhole;
    if (channel?.print.isWhole(text) === true) return true;
    const tail = channel?.scanner.tail ?? '';
    const tailBefore = channel?.print.tailBefore(tail) ?? '';
    this.#copies.stray(copies, { tail, tailBefore }, text, isWhole ? 'whole' : 'piece');
    return isWhole;
  }

  *#readTokens(
    { tokens = [] }: StreamEvent,
    all: readonly EventText[],
    found: Found[],
  ): Work<readonly BufferSpan[]> {
    const unsent: BufferSpan[] = [];
    for (const [channel, spelling] of Map.groupBy(tokens, (token) => token.channel)) {
      const spelled = spelling.map(({ text }) => text).join('');
      const texts = all.filter(({ delta }) => delta.channel === channel);
      if (isSpelled(texts, spelled)) continue;
      if (texts.every((text) => text.channel !== undefined)) {
        unsent.push(yield* addTo(this.#tokenChannels.forTokens(channel), spelled, found));
      } else {
        const buffer = yield* this.#wholeTexts.search({ text: spelled }, found);
        unsent.push({ buffer, from: 0, to: buffer.length });
      }
    }
    return unsent;
  }
}

/** Reports whether a channel's texts were searched together as the text that the tokens spell. */
function isSpelled(texts: readonly EventText[], spelled: string): boolean {
  const [first] = texts;
  if (!texts.every(({ buffer }) => buffer === first?.buffer)) return false;
  return first !== undefined && texts.map(({ delta }) => delta.text).join('') === spelled;
}
