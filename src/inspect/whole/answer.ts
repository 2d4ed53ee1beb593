import type { FindAll } from '../../detectors/finding.ts';
import { isUtf8 } from 'node:buffer';
import { readMediaType } from '../../media-type.ts';
import type { Denial } from '../../pipeline/check.ts';
import type { WholeAnswer } from '../../pipeline/exchange.ts';
import type { AnswerFacts } from '../../providers/dialect.ts';
import { CLEAN, unreadable, type Inspected } from '../inspected.ts';
import { inspectJson, type AnswerScope } from './json-answer.ts';
import { APART, ScanBatch } from '../scan/scan-batch.ts';
import { inspectRaw } from './text-answer.ts';
import { lastUpTo } from '../../text/ascending.ts';
import { isTurnOver, nextTurn, type Awaitable } from '../../turns.ts';

export const BINARY =
  /^(?:audio|image|video|font|model)\/(?!svg\+xml)|^application\/(?:octet-stream|pdf|zip|gzip|x-[a-z]*zip2?|x-tar|vnd\.openxmlformats-|vnd\.ms-|msword)/;

/**
 * Searches an unstreamed answer of any declared type. Returns a denial if the answer cannot be decoded.
 * @param scope parts of a JSON answer to search
 */
export function inspectAnswer(
  whole: WholeAnswer,
  facts: AnswerFacts | undefined,
  findAll: FindAll,
  scope: AnswerScope = {},
): Awaitable<Inspected> | Denial {
  const { body } = whole;
  if (body.length === 0) return CLEAN;
  const { essence, charset } = readMediaType(whole.contentType);
  if (charset === 'other') return unreadable('the gateway does not support its character set');
  if (whole.json !== undefined) return inspectJson(whole, facts, findAll, scope);
  const hasNul = body.includes(0);
  const isBinary = BINARY.test(essence);
  if (!hasNul && (!isBinary || isUtf8(body)) && !hasWideMark(body)) return inspectRaw(whole, findAll);
  if (!isBinary || isWide(body)) return unreadable('it is not UTF-8 text');
  return inspectBinary(whole, findAll);
}

function hasWideMark(body: Buffer): boolean {
  return (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff);
}

/** Share of NUL bytes at even or odd offsets that indicates ASCII text in UTF-16 or UTF-32. */
const MOSTLY = 0.9;
const MIN_BYTES = 32;
const MAX_BYTES = 1_048_576;

/** Reports whether a body looks like ASCII text in UTF-16 or UTF-32, whatever its declared type. */
function isWide(body: Buffer): boolean {
  const length = Math.min(body.length, MAX_BYTES);
  if (length < MIN_BYTES) return false;
  const nuls = [0, 0];
  const letters = [0, 0];
  for (let at = 0; at < length; at += 1) {
    const byte = body[at] ?? 0;
    const side = at & 1;
    if (byte === 0) nuls[side] = (nuls[side] ?? 0) + 1;
    else if (byte >= 0x20 && byte <= 0x7e) letters[side] = (letters[side] ?? 0) + 1;
  }
  const half = length / 2;
  return [0, 1].some((side) => {
    const other = 1 - side;
    const isSpelling = (letters[other] ?? 0) + (nuls[other] ?? 0) >= MOSTLY * half;
    return (nuls[side] ?? 0) >= MOSTLY * half && (letters[other] ?? 0) >= half / 4 && isSpelling;
  });
}

/** Minimum length of a printable run to search. Random data has about one such run in ten million bytes. */
const MIN_RUN_BYTES = 16;
const STEP_BYTES = 1_048_576;
const ASTERISK = 0x2a;

/** The printable runs of a body, joined by `APART`. */
interface Runs {
  readonly text: string;
  readonly starts: readonly number[];
  readonly offsets: readonly number[];
}

/** Searches text in images, audio and files. Masks keep the length, because binary formats contain offsets. */
async function inspectBinary(whole: WholeAnswer, findAll: FindAll): Promise<Inspected> {
  const runs = await runsIn(whole.body);
  const batch = new ScanBatch(findAll, 'answer');
  batch.add(runs.text);
  await batch.search();
  return {
    found: batch.found,
    mask() {
      batch.assertMaskable();
      const body = Buffer.from(whole.body);
      for (const { start, end } of batch.findingsIn(runs.text)) {
        const at = bodyOffset(runs, start);
        body.fill(ASTERISK, at, at + end - start);
      }
      return Promise.resolve(() => (whole.replacement = body));
    },
  };
}

async function runsIn(body: Buffer): Promise<Runs> {
  const parts: string[] = [];
  const starts: number[] = [];
  const offsets: number[] = [];
  let length = 0;
  let runStart = 0;
  for (let at = 0; at <= body.length; at += 1) {
    if (at % STEP_BYTES === STEP_BYTES - 1 && isTurnOver(STEP_BYTES)) await nextTurn();
    if (isPrintable(body[at])) continue;
    if (at - runStart >= MIN_RUN_BYTES) {
      parts.push(body.toString('latin1', runStart, at));
      starts.push(length);
      offsets.push(runStart);
      length += at - runStart + 1;
    }
    runStart = at + 1;
  }
  return { text: parts.join(APART), starts, offsets };
}

function isPrintable(byte: number | undefined): boolean {
  return (
    byte !== undefined && ((byte >= 0x20 && byte <= 0x7e) || byte === 0x0a || byte === 0x0d || byte === 0x09)
  );
}

function bodyOffset({ starts, offsets }: Runs, at: number): number {
  const run = Math.max(0, lastUpTo(starts, at));
  return (offsets[run] ?? 0) + at - (starts[run] ?? 0);
}
