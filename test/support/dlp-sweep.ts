import type { ContentClass, Finding, StreamDetector } from '../../src/detectors/finding.ts';
import { mask } from '../../src/detectors/mask.ts';
import { createAnswerStream } from '../../src/answers/answer-stream.ts';
import { newAnswer } from '../../src/answers/new-answer.ts';
import { rewriterOf, type ActionOf } from './dlp-rewriter.ts';
import type { DialectStream, Piece } from './dialect-streams.ts';
import type { Reassembled } from './read-dialect-stream.ts';

/** DLP's expected result for a text that does not stream. */
export interface Expected {
  readonly findings: readonly Finding[];
  /** Undefined if the answer is withheld. */
  readonly masked: string | undefined;
}

export function expectedOf(text: string, detector: StreamDetector, actionOf: ActionOf): Expected {
  const findings = detector.find(text);
  const cut = findings.some((finding) => actionOf(finding.class as ContentClass) === 'quarantine');
  return { findings, masked: cut ? undefined : mask(text, findings) };
}

/** Sends a stream through the answer engine and a DLP rewriter, in these chunks, and reads the output. */
export async function throughDlp(
  dialect: DialectStream,
  chunks: Iterable<Buffer>,
  detector: StreamDetector,
  actionOf: ActionOf,
): Promise<Reassembled> {
  const stream = createAnswerStream({
    answer: newAnswer(),
    format: dialect.format,
    reader: dialect.createReader(),
    rewriters: [rewriterOf(detector, { actionOf })],
  });
  const out: Buffer[] = [];
  for (const chunk of chunks) {
    const { bytes, cut } = await stream.push(chunk);
    out.push(bytes);
    if (cut !== undefined) return dialect.read(Buffer.concat(out));
  }
  out.push((await stream.end()).bytes);
  return dialect.read(Buffer.concat(out));
}

/** A text cut in two at `at`. */
export function cutAt(text: string, at: number): string[] {
  return [text.slice(0, at), text.slice(at)].filter((piece) => piece !== '');
}

/** A text in pieces of 1 to 7 characters. */
export function shredded(text: string, random: () => number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const to = from + 1 + Math.floor(random() * 7);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** Alternating pieces of two texts. */
export function interleaved(first: readonly string[], second: readonly string[]): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < Math.max(first.length, second.length); at += 1) {
    const [a, b] = [first[at], second[at]];
    if (a !== undefined) pieces.push({ of: 0, text: a });
    if (b !== undefined) pieces.push({ of: 1, text: b });
  }
  return pieces;
}

/** How many characters of a withheld text's first secret were sent: the sent text ends with them. */
export function leakedChars(sent: string, text: string, findings: readonly Finding[]): number {
  const secret = findings.find((finding) => finding.class === 'secret');
  if (secret === undefined) return 0;
  const value = text.slice(secret.start, secret.end);
  for (let length = value.length; length > 0; length -= 1) {
    if (sent.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}
