import { assertParseable, isUnambiguous, readDocument, unparseable } from '../json/document-shape.ts';
import { endOfString } from '../json/skip-string.ts';
import type { StreamEvent } from '../providers/dialect.ts';
import type { Frame, StreamFormat } from '../streams/frame.ts';
import { LONG_STEP, runNow, type Work } from '../turns.ts';

const MAY_BE_LENIENT = /NaN|Infinity/;
/**
 * Maximum number of replacements per document; exceeds the logprobs of the longest prompt. Replacing half a million
 * takes 200 ms.
 */
const MAX_NO_NUMBERS = 100_000;

/**
 * Replaces `NaN` and `Infinity` with `null`, because some servers send these words and some clients accept them. Frames
 * that are still not JSON are returned unchanged.
 * @throws GatewayError upstream_unavailable if the payload is too deep or too large, or has too many of these words
 */
export function strictFrame(format: StreamFormat, frame: Frame): Frame {
  return MAY_BE_LENIENT.test(frame.data ?? '') ? runNow(strictFrameInSteps(format, frame)) : frame;
}

export function* strictFrameInSteps(format: StreamFormat, frame: Frame): Work<Frame> {
  const { data } = frame;
  if (data === undefined) return frame;
  const strict = yield* strictDocument(data);
  return strict === undefined ? frame : { ...frame, raw: format.withData(frame, strict), data: strict };
}

/**
 * Returns JSON with `null` for `NaN` and `Infinity`, or undefined if the text has neither or would still be invalid.
 */
export function* strictDocument(text: string): Work<string | undefined> {
  if (!MAY_BE_LENIENT.test(text)) return undefined;
  const strict = withNulls(text);
  if (strict === text) return undefined;
  yield LONG_STEP;
  const { shape, parsed } = yield* readDocument(strict);
  assertParseable(strict, shape);
  return parsed === undefined ? undefined : strict;
}

function withNulls(text: string): string {
  const nextQuote = createSearch(text, '"');
  const nextNaN = createSearch(text, 'NaN');
  const nextInfinity = createSearch(text, 'Infinity');
  let strict = '';
  let copied = 0;
  let replaced = 0;
  for (let i = 0; ;) {
    const start = Math.min(nextNaN(i), nextInfinity(i));
    if (start === Infinity) return strict + text.slice(copied);
    const quote = nextQuote(i);
    if (quote < start) {
      i = endOfString(text, quote);
      continue;
    }
    const name = text.charAt(start) === 'N' ? 'NaN' : 'Infinity';
    i = start + name.length;
    if (isAlphanumeric(text.charCodeAt(start - 1)) || isAlphanumeric(text.charCodeAt(i))) continue;
    replaced += 1;
    if (replaced > MAX_NO_NUMBERS) throw unparseable('has too many NaN or Infinity values');
    const isNegative = name === 'Infinity' && text.charAt(start - 1) === '-';
    strict += text.slice(copied, isNegative ? start - 1 : start);
    strict += 'null';
    copied = i;
  }
}

/** Returns a function that finds a word from increasing offsets, or Infinity after the last occurrence. */
function createSearch(text: string, word: string): (from: number) => number {
  let next = -1;
  return (from) => {
    if (next >= from) return next;
    const found = text.indexOf(word, from);
    next = found < 0 ? Infinity : found;
    return next;
  };
}

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) || code === 0x5f;
}

/**
 * Rewrites the frame so that every client reads what the rewriters saw: no repeated or escaped member names, no invalid
 * UTF-8, and nothing outside the document.
 * @param frame as received
 */
export function unambiguousEvent(format: StreamFormat, event: StreamEvent, frame: Frame): StreamEvent {
  const text = event.inner?.json ?? frame.data ?? '';
  if (!isAmbiguous(event, text, frame)) {
    const { data } = event.frame;
    return data === frame.data || data === undefined ? event : withPayload(format, event, data);
  }
  const json = JSON.stringify(event.json);
  if (event.inner === undefined) return withPayload(format, event, json);
  const inner = { ...event.inner, json };
  return withPayload(format, { ...event, inner }, inner.pack(json));
}

function isAmbiguous({ json }: StreamEvent, text: string, { document }: Frame): boolean {
  return typeof json === 'object' && json !== null && !isUnambiguous(text, json, document);
}

function withPayload(format: StreamFormat, event: StreamEvent, data: string): StreamEvent {
  return { ...event, frame: { ...event.frame, raw: format.withData(event.frame, data), data } };
}
