import type { Normalized } from '../normalize/normalized.ts';
import type { Span } from '../text/span.ts';
import { inTurns, runNow, type Work } from '../turns.ts';
import type { Detector, Finding } from './finding.ts';
import { slicesOf } from './slices.ts';

/** A text as it was sent, and without its disguises. */
export interface TextForms {
  readonly raw: string;
  readonly normalized: Normalized;
}

/** UTF-16 units of unchanged text searched around what normalization changed: as far as any detector looks. */
const CONTEXT = 8192;

/**
 * Runs every detector over the raw text, and over the normalized one where it differs. Spans are those of the raw text, in
 * order of `start`; findings of one detector and class that overlap are one. Blocks for as long as the text is.
 */
export function detect(text: TextForms, detectors: readonly Detector[]): readonly Finding[] {
  return runNow(detectInSteps(text, detectors));
}

/** The same for many texts, in turns of the event loop. The n-th findings are the n-th text's. */
export async function detectAll(
  texts: readonly TextForms[],
  detectors: readonly Detector[],
): Promise<readonly (readonly Finding[])[]> {
  const all: (readonly Finding[])[] = [];
  for (const text of texts) {
    const found = inTurns(detectInSteps(text, detectors));
    all.push(found instanceof Promise ? await found : found);
  }
  return all;
}

const NOTHING: readonly Finding[] = [];

function* detectInSteps(text: TextForms, detectors: readonly Detector[]): Work<readonly Finding[]> {
  const found: (readonly Finding[])[] = [];
  for (const search of searchesOf(text)) {
    for (const slice of slicesOf(search.text)) {
      for (const detector of detectors) {
        yield slice.end - slice.start;
        const inSlice = detector(search.text.slice(slice.start, slice.end));
        if (inSlice.length === 0) continue;
        found.push(placed(search, inSlice.filter(slice.judges), slice.start));
      }
    }
  }
  return found.length === 0 ? NOTHING : mergeFindings(found.flat());
}

/** A part to search, and where its spans belong in the raw text. */
interface Search {
  readonly text: string;
  readonly toOriginalSpan: (start: number, end: number) => Span;
}

function searchesOf({ raw, normalized }: TextForms): readonly Search[] {
  const given: Search = { text: raw, toOriginalSpan: (start, end) => ({ start, end }) };
  const changed = changedPart(raw, normalized.text);
  if (changed === undefined) return [given];
  const { start: from, end: to } = changed;
  return [
    given,
    {
      text: normalized.text.slice(from, to),
      toOriginalSpan: (start, end) => normalized.toOriginalSpan(start + from, end + from),
    },
  ];
}

/** The part of the normalized text in which it differs from the raw one, with `CONTEXT` around; undefined when nowhere. */
function changedPart(raw: string, normalized: string): Span | undefined {
  if (raw === normalized) return undefined;
  const shorter = Math.min(raw.length, normalized.length);
  let head = 0;
  while (head < shorter && raw.charCodeAt(head) === normalized.charCodeAt(head)) head += 1;
  let tail = 0;
  while (
    tail < shorter - head &&
    raw.charCodeAt(raw.length - 1 - tail) === normalized.charCodeAt(normalized.length - 1 - tail)
  )
    tail += 1;
  return {
    start: Math.max(0, head - CONTEXT),
    end: Math.min(normalized.length, normalized.length - tail + CONTEXT),
  };
}

const placed = (search: Search, findings: readonly Finding[], offset: number): readonly Finding[] =>
  findings.map((finding) => ({
    ...finding,
    ...search.toOriginalSpan(finding.start + offset, finding.end + offset),
  }));

/** Joins findings of one detector and class that overlap; the rule is the first one's. */
function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
  const merged: Finding[] = [];
  const latest = new Map<string, number>();
  for (const finding of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const kind = `${finding.detector}:${finding.class}`;
    const index = latest.get(kind);
    const last = index === undefined ? undefined : merged[index];
    if (index !== undefined && last !== undefined && finding.start < last.end) {
      if (finding.end > last.end) merged[index] = { ...last, end: finding.end };
      continue;
    }
    latest.set(kind, merged.push(finding) - 1);
  }
  return merged;
}
