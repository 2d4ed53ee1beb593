import { GatewayError } from '../errors.ts';
import { HEADER_PREFIX } from '../headers.ts';
import { readDocument } from '../json/document-shape.ts';
import { inTurns, isTurnOver, nextTurn, runNow, stepsOf, type Awaitable } from '../turns.ts';
import type { CutPayload, StreamEvent, StreamReader } from '../providers/dialect.ts';
import type { ClosingFrame, Frame, StreamFormat } from '../streams/frame.ts';
import {
  asDenial,
  PASS_EVENT,
  type Denial,
  type RewrittenFrame,
  type StreamAction,
  type StreamRewriter,
} from '../pipeline/check.ts';
import type { Answer } from '../pipeline/exchange.ts';
import { bare, type EventForm } from './event-form.ts';
import { keepAccount } from './new-answer.ts';
import { rewrittenEvent, rewrittenInTurns } from './rewritten-event.ts';
import { strictFrame, strictFrameInSteps, unambiguousEvent } from './unambiguous-frame.ts';

/** Longer frames cannot be buffered for inspection, and end the stream. */
const MAX_FRAME_BYTES = 4_194_304;
const NOTHING = Buffer.alloc(0);
const NOT_INSPECTED = {
  type: 'gateway_unavailable',
  message: 'the gateway could not inspect the rest of the answer',
} as const;
/** Each pass over a longer frame runs in a separate event-loop turn. */
const LONG_FRAME_BYTES = 131_072;
const SLICE_BYTES = 16_384;
/** Fixed cost of a frame, in characters. */
const FRAME_CHARS = 512;

export interface Emission {
  readonly bytes: Buffer;
  readonly cut?: Denial;
  /** The error behind a cut, unless it was a refusal. */
  readonly failure?: unknown;
}

export interface AnswerStream {
  /**
   * Returns whole frames and holds back incomplete ones. Chunks may end at any byte. Synchronous unless it must wait
   * for a rewriter, a cut or another event-loop turn. The next call must wait for the result. Returns no bytes after a
   * cut.
   */
  push(chunk: Buffer): Awaitable<Emission>;
  end(): Promise<Emission>;
}

export interface AnswerStreamParts {
  readonly answer: Answer;
  readonly format: StreamFormat;
  /** Restricts events to a fixed form. If unset (MCP), rewriters also receive all sideband data. */
  readonly form?: EventForm | undefined;
  readonly reader: StreamReader;
  readonly rewriters: readonly StreamRewriter[];
  /** Omits the gateway's comments (`server.strip_budget_headers`, or for clients that mistake them for the answer). */
  readonly stripComments?: boolean;
}

/**
 * Decodes frames, updates the answer's account (usage, text, completeness) and runs the rewriters in order, each on the
 * output of the previous one. Unchanged frames are forwarded byte for byte.
 */
export function createAnswerStream(parts: AnswerStreamParts): AnswerStream {
  const { answer, format, form, reader, rewriters, stripComments = false } = parts;
  const isJudged = rewriters.some(({ readsText }) => readsText !== false);
  const observers = rewriters.filter(({ received }) => received !== undefined);
  const decoder = format.createDecoder({ maxFrameBytes: MAX_FRAME_BYTES });
  const writer = format.createWriter();
  let pieces: Buffer[] = [];
  let cut: Denial | undefined;
  /** The last event that was sent. A rewritten event is a different object. */
  let passed: StreamEvent | undefined;

  function take(): Emission {
    const [only = NOTHING] = pieces;
    const bytes = pieces.length > 1 ? Buffer.concat(pieces) : only;
    pieces = [];
    return cut === undefined ? { bytes } : { bytes, cut };
  }

  /** Passes items in order, synchronously until a rewriter waits or the event-loop turn is over. */
  function each<T>(items: readonly T[], pass: (item: T) => Awaitable<void>, from = 0): Awaitable<void> {
    for (let index = from; index < items.length && cut === undefined; index += 1) {
      if (isTurnOver(FRAME_CHARS)) return nextTurn().then(() => each(items, pass, index));
      const waiting = pass(items[index] as T);
      if (waiting !== undefined) return waiting.then(() => each(items, pass, index + 1));
    }
  }

  function passChunk(chunk: Buffer, from = 0): Awaitable<void> {
    for (let at = from; at < chunk.length && cut === undefined; at += SLICE_BYTES) {
      const rest = at + SLICE_BYTES;
      const frames = decoder.push(chunk.subarray(at, rest));
      const waiting = each(frames, passFrame);
      if (waiting !== undefined) return waiting.then(() => passChunk(chunk, rest));
      if (rest < chunk.length && isTurnOver()) return nextTurn().then(() => passChunk(chunk, rest));
    }
  }

  function passFrame(received: Frame): Awaitable<void> {
    if (!isJudged) return passPayload(received);
    const readable = format.readable(received);
    const frame = form === undefined ? readable : form.plain(readable);
    if (frame === undefined) return;
    const { sideband } = frame;
    if (sideband === undefined) return passPayload(frame);
    const event = sidebandEvent(frame, sideband);
    observe(event);
    const waiting = passEvent(event, 0);
    // A frame without data is forwarded or dropped together with this event.
    if (frame.data === undefined) return waiting;
    const goOn = (): Awaitable<void> =>
      cut === undefined ? passPayload(passed === event ? frame : bare(format, frame, sideband)) : undefined;
    return waiting === undefined ? goOn() : waiting.then(goOn);
  }

  function passPayload(received: Frame): Awaitable<void> {
    if (received.data === undefined) {
      pieces.push(writer.write(received));
      return;
    }
    if (received.raw.length > LONG_FRAME_BYTES) return passLong(received);
    const frame = isJudged ? strictFrame(format, received) : received;
    const event = reader.read(frame);
    runNow(keepAccount(answer, event));
    observe(event);
    return isJudged ? passHeld(event, frame) : passEvent(event, 0);
  }

  async function passLong(received: Frame): Promise<void> {
    await nextTurn();
    const strict = isJudged ? await inTurns(strictFrameInSteps(format, received)) : received;
    await nextTurn();
    const frame = { ...strict, document: await inTurns(readDocument(strict.data ?? '')) };
    await nextTurn();
    const event = await inTurns(stepsOf(reader.read, frame));
    await inTurns(keepAccount(answer, event));
    observe(event);
    await nextTurn();
    await (isJudged ? passHeld(event, frame) : passEvent(event, 0));
  }

  function passHeld(event: StreamEvent, frame: Frame): Awaitable<void> {
    const held = form === undefined ? event : form.held(event);
    return held === undefined ? undefined : passEvent(unambiguousEvent(format, held, frame), 0);
  }

  function observe(event: StreamEvent): void {
    for (const observer of observers) observer.received?.(event);
  }

  /** Passes an event through the rewriters, starting at index `at`, and then to the client. */
  function passEvent(event: StreamEvent, at: number): Awaitable<void> {
    const rewriter = rewriters[at];
    if (rewriter === undefined) {
      passed = event;
      if (event.frame.raw.length > 0)
        pieces.push(writer.write(event.sideband === true ? rest(event.frame) : event.frame));
      return;
    }
    const action = rewriter.event?.(event) ?? PASS_EVENT;
    return action instanceof Promise
      ? action.then((settled) => act(event, settled, at))
      : act(event, action, at);
  }

  function act(event: StreamEvent, action: StreamAction, at: number): Awaitable<void> {
    switch (action.kind) {
      case 'pass':
        return passEvent(event, at + 1);
      case 'drop':
        return;
      case 'cut':
        return cutOff(action.denial);
      case 'rewrite': {
        const { before = [], edits = [], held } = action;
        const frames: readonly RewrittenFrame[] = held === true ? before : [...before, { event, edits }];
        return passRewritten(frames, at + 1);
      }
    }
  }

  function passRewritten(frames: readonly RewrittenFrame[], at: number): Awaitable<void> {
    return each(frames, (frame) =>
      frame.event.frame.raw.length > LONG_FRAME_BYTES
        ? passLongRewritten(frame, at)
        : passEvent(rewrittenEvent(format, frame), at),
    );
  }

  async function passLongRewritten(frame: RewrittenFrame, at: number): Promise<void> {
    await nextTurn();
    const event = await rewrittenInTurns(format, frame);
    await nextTurn();
    await passEvent(event, at);
  }

  async function cutOff(denial: Denial): Promise<void> {
    cut = denial;
    pieces.push(writer.cut(reader.cut(denial, true).map(closingFrame)));
    addComment(flagComment(denial));
    await addComments();
  }

  async function addComments(): Promise<void> {
    for (const rewriter of rewriters) addComment(await rewriter.comment?.());
  }

  /** Ends the stream with an error, because some clients mistake a broken connection for the end of the answer. */
  async function breakOff(cause: unknown): Promise<Emission> {
    if (cut !== undefined) throw cause;
    const refusal = cause instanceof GatewayError ? cause : undefined;
    await cutOff(asDenial(refusal ?? NOT_INSPECTED));
    return refusal === undefined ? { ...take(), failure: cause } : take();
  }

  async function endAll(): Promise<Emission> {
    await each(decoder.end(), passFrame);
    for (const [at, rewriter] of rewriters.entries()) if (cut === undefined) await endRewriter(rewriter, at);
    if (cut === undefined) {
      await addComments();
      pieces.push(writer.end());
    }
    return take();
  }

  function addComment(text: string | undefined): void {
    const comment = text === undefined || stripComments ? undefined : format.comment?.(text);
    if (comment !== undefined) pieces.push(comment);
  }

  async function endRewriter(rewriter: StreamRewriter, at: number): Promise<void> {
    const tail = await rewriter.end?.();
    if (tail === undefined) return;
    await passRewritten(tail.before ?? [], at + 1);
    if (cut === undefined && tail.cut !== undefined) await cutOff(tail.cut);
  }

  return {
    push(chunk) {
      if (cut !== undefined) return { bytes: NOTHING, cut };
      try {
        const waiting = passChunk(chunk);
        return waiting === undefined ? take() : waiting.then(take).catch(breakOff);
      } catch (cause) {
        return breakOff(cause);
      }
    },
    end() {
      return cut === undefined ? endAll().catch(breakOff) : Promise.resolve({ bytes: NOTHING, cut });
    },
  };
}

function closingFrame({ json, pad = 0, ...frame }: CutPayload): ClosingFrame {
  return { ...frame, data: JSON.stringify(json) + ' '.repeat(pad) };
}

/** Repeats the refusal's flag headers as a comment, because the answer's headers have already been sent. */
function flagComment({ headers = {} }: Denial): string | undefined {
  const flags = Object.entries(headers).filter(
    ([name, value]) => name.startsWith(HEADER_PREFIX) && value === 'true',
  );
  return flags.length === 0 ? undefined : flags.map(([name, value]) => `${name}=${value}`).join(' ');
}

/** Returns the event for sideband data. If the frame has a payload, its event follows and carries the frame's bytes. */
function sidebandEvent(frame: Frame, sideband: string): StreamEvent {
  const raw = frame.data === undefined ? frame.raw : NOTHING;
  return { frame: { ...frame, raw, data: sideband }, deltas: [], json: sideband, sideband: true };
}

function rest({ raw, open }: Frame): Frame {
  return open === true ? { raw, open } : { raw };
}
