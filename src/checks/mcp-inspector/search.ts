import { detectAll } from '../../detectors/detect.ts';
import type { Detector, Finding } from '../../detectors/finding.ts';
import { findSecretsAll } from '../../detectors/secrets.ts';
import { normalizeAll } from '../../normalize/normalize.ts';
import type { Normalized } from '../../normalize/normalized.ts';
import { stretchesOf, type Page, type Stretch } from './page.ts';
import type { Texts } from './read-texts.ts';

/** Something found, and the stretches of texts that hold it. */
export interface Hit {
  readonly finding: Finding;
  readonly stretches: readonly Stretch[];
}

/** Hits in one message; one with more is no answer with an attack in it, but an attack. */
const MAX_HITS = 1_000;
/** Findings of detectors, neighbouring slices' twice: those of a hostile text are not even put in order. */
const MAX_FOUND = 5_000;

export interface Search {
  readonly detectors: readonly Detector[];
  /** Which secrets count. */
  readonly counts: (secret: Finding) => boolean;
}

/**
 * Runs the detectors, and that of secrets, over everything that a message says, as it stands and normalized; undefined
 * where they find more than can be taken out. Secrets are searched without cuts, since a key may be longer than slices
 * overlap.
 */
export async function searchTexts(
  texts: Texts,
  { detectors, counts }: Search,
): Promise<readonly Hit[] | undefined> {
  const pages = [...texts.prose, texts.words];
  const raws = pages.map(({ text }) => text);
  const normalized = await normalizeAll(raws);
  const searched = normalized.map((one, index) => ({ raw: raws[index] ?? '', normalized: one }));
  const counted = countingFindings(detectors);
  const found = await detectAll(searched, counted.detectors);
  if (counted.hasTooMany()) return undefined;
  const plain = await findSecretsAll(raws);
  // Where nothing was disguised, there is nothing more to see.
  const disguised = await findSecretsAll(
    searched.map(({ raw, normalized: { text } }) => (text === raw ? '' : text)),
  );
  const hits = pages.flatMap((page, index) => {
    const secrets = [...(plain[index] ?? []), ...revealed(disguised[index] ?? [], normalized[index])];
    const all = [...(found[index] ?? []), ...withoutRepeats(secrets.filter(counts))];
    return all.flatMap((finding) => hitsOf(page, finding, page === texts.words));
  });
  return hits.length > MAX_HITS ? undefined : hits;
}

/** Detectors that stop finding where there is more than can be taken out. */
function countingFindings(detectors: readonly Detector[]) {
  let count = 0;
  const hasTooMany = (): boolean => count > MAX_FOUND;
  return {
    hasTooMany,
    detectors: detectors.map((detector): Detector => (text) => {
      const found = hasTooMany() ? [] : detector(text);
      count += found.length;
      return found;
    }),
  };
}

/** Findings of a normalized text where they stand in the given one. */
function revealed(findings: readonly Finding[], normalized: Normalized | undefined): readonly Finding[] {
  return findings.map((finding) => ({ ...finding, ...normalized?.toOriginal(finding.start, finding.end) }));
}

/** A secret that shows with its disguise and without is one. */
function withoutRepeats(findings: readonly Finding[]): readonly Finding[] {
  let reached = 0;
  return findings
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ end }) => {
      const isNew = end > reached;
      reached = Math.max(reached, end);
      return isNew;
    });
}

/** Words have nothing to do with their neighbours: what is found across two of them is not there. */
function hitsOf(page: Page, finding: Finding, isWords: boolean): readonly Hit[] {
  const stretches = stretchesOf(page, finding.start, finding.end);
  return stretches.length === 0 || (isWords && stretches.length > 1) ? [] : [{ finding, stretches }];
}
