import { applyEdits } from '../json/edit.ts';
import type { JsonEdit } from '../json/path.ts';
import type { StreamEvent, StreamReader } from '../providers/provider.ts';
import type { Frame, FrameDecoder, StreamFormat } from '../streams/frame.ts';
import { assertShallow } from './answer-depth.ts';
import type { StreamAction, StreamRewriter } from './check.ts';
import type { Answer } from './exchange.ts';

/** A longer frame cannot be held for inspection and ends the stream. */
const MAX_FRAME_BYTES = 4_194_304;
const NOTHING = Buffer.alloc(0);

/** A streamed answer on its way out: bytes in, inspected bytes out, at any chunk boundary. */
export interface AnswerStream {
  /** Synchronous: whole frames go out at once, an unfinished one waits for its rest. */
  push(chunk: Buffer): Buffer;
  /** The provider has ended its answer: what was held, and the checks' closing comments. */
  end(): Promise<Buffer>;
}

export interface AnswerStreamParts {
  readonly answer: Answer;
  readonly format: StreamFormat;
  /** Absent where the endpoint is not known: frames then pass as they are. */
  readonly reader: StreamReader | undefined;
  readonly rewriters: readonly StreamRewriter[];
}

/**
 * Decodes frames, keeps the answer's account (usage, text, completeness) and runs the rewriters in order. An
 * untouched frame goes out byte for byte; a changed one is edited by byte spans.
 */
export function createAnswerStream(parts: AnswerStreamParts): AnswerStream {
  const decoder: FrameDecoder = parts.format.createDecoder({ maxFrameBytes: MAX_FRAME_BYTES });
  const through = (frames: readonly Frame[]): Buffer => {
    if (frames.length === 1 && frames[0] !== undefined) return passFrame(parts, frames[0]);
    return frames.length === 0 ? NOTHING : Buffer.concat(frames.map((frame) => passFrame(parts, frame)));
  };
  return {
    push: (chunk) => through(decoder.push(chunk)),
    async end() {
      const out = [through(decoder.end())];
      for (const rewriter of parts.rewriters) {
        const tail = await rewriter.end?.();
        const comment = tail?.comment === undefined ? undefined : parts.format.comment(tail.comment);
        if (comment !== undefined) out.push(comment);
      }
      return Buffer.concat(out);
    },
  };
}

function passFrame(parts: AnswerStreamParts, frame: Frame): Buffer {
  if (parts.reader === undefined || frame.data === undefined) return frame.raw;
  const { data } = frame;
  assertShallow(data.length, () => Buffer.from(data));
  let event = parts.reader.read(frame);
  keepAccount(parts.answer, event);
  let changed: Frame = frame;
  for (const rewriter of parts.rewriters) {
    const action = rewriter.event(event);
    if (action.kind === 'drop') return parts.format.dropped(frame);
    if (action.kind === 'rewrite') {
      event = rewritten(event, changed, action);
      changed = event.frame;
    }
  }
  return changed.data === frame.data || changed.data === undefined
    ? frame.raw
    : parts.format.withData(frame, changed.data);
}

function keepAccount(answer: Answer, event: StreamEvent): void {
  for (const delta of event.deltas) {
    if (delta.repeats === true) continue;
    answer.written.add(delta.kind, delta.text);
    // Another candidate begins after the first has ended.
    answer.complete = false;
  }
  if (event.usage !== undefined) answer.usage = event.usage;
  if (event.done === true && event.failed !== true) answer.complete = true;
}

function rewritten(
  event: StreamEvent,
  frame: Frame,
  action: StreamAction & { kind: 'rewrite' },
): StreamEvent {
  const edits: JsonEdit[] = [];
  const deltas = event.deltas.map((delta, index) => {
    const text = action.texts[index];
    if (text === undefined || text === delta.text) return delta;
    edits.push({ kind: 'set', path: delta.path, value: text });
    return { ...delta, text };
  });
  if (edits.length === 0) return event;
  const { inner } = event;
  if (inner === undefined)
    return { ...event, deltas, frame: { ...frame, data: edited(frame.data ?? '', edits) } };
  const json = edited(inner.json, edits);
  return { ...event, deltas, inner: { ...inner, json }, frame: { ...frame, data: inner.pack(json) } };
}

function edited(json: string, edits: readonly JsonEdit[]): string {
  return applyEdits(Buffer.from(json), edits).toString();
}
