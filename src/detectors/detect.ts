import { asGiven, type TextView } from '../inspect/offset-map.ts';
import type { Normalized } from '../normalize/normalize.ts';
import type { Span } from '../text/span.ts';
import { inTurns, runNow, type Awaitable, type Work } from '../turns.ts';
import type { Detector, Finding } from './finding.ts';
import { slicesOf } from './slices.ts';

export interface TextForms {
  readonly raw: string;
  readonly normalized: Normalized;
}

/** UTF-16 code units of unchanged text scanned around the normalized part. No detector looks further. */
const CONTEXT = 8192;

const NOTHING: readonly Finding[] = [];

/**
 * Runs every detector on the raw text, and on the part of the normalized text that differs. Findings are ordered
 * by `start`, with spans in the raw text. Overlapping findings of one detector and class are merged.
 */
export function detect(text: TextForms, detectors: readonly Detector[]): readonly Finding[] {
  return runNow(detectEach([text], detectors))[0] ?? NOTHING;
}

export function detectAll(
  texts: readonly TextForms[],
  detectors: readonly Detector[],
): Awaitable<readonly (readonly Finding[])[]> {
  return inTurns(detectEach(texts, detectors));
}

function* detectEach(
  texts: readonly TextForms[],
  detectors: readonly Detector[],
): Work<readonly (readonly Finding[])[]> {
  const all: (readonly Finding[])[] = [];
  for (const text of texts) {
    const found: (readonly Finding[])[] = [];
    for (const search of searchesOf(text)) {
      for (const slice of slicesOf(search.text)) {
        for (const detector of detectors) {
          yield slice.end - slice.start;
          const inSlice = detector(search.text.slice(slice.start, slice.end));
          if (inSlice.length > 0) found.push(placed(search, inSlice.filter(slice.judges), slice.start));
        }
      }
    }
    all.push(found.length === 0 ? NOTHING : mergeFindings(found.flat()));
  }
  return all;
}

function searchesOf({ raw, normalized }: TextForms): readonly TextView[] {
  const given = asGiven(raw);
  const changed = changedPart(raw, normalized.text);
  if (changed === undefined) return [given];
  const { start: from, end: to } = changed;
  return [
    given,
    {
      text: normalized.text.slice(from, to),
      toOriginal: ({ start, end }) => normalized.toOriginal({ start: start + from, end: end + from }),
    },
  ];
}

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

const placed = (search: TextView, findings: readonly Finding[], offset: number): readonly Finding[] =>
  findings.map((finding) => ({
    ...finding,
    ...search.toOriginal({ start: finding.start + offset, end: finding.end + offset }),
  }));

/** Merged findings keep the rule of the first. */
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
