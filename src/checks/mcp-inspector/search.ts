import { detectAll } from '../../detectors/detect.ts';
import type { Detector, Finding } from '../../detectors/finding.ts';
import { findSecretsAll } from '../../detectors/secrets.ts';
import { normalizeAll } from '../../normalize/normalize.ts';
import { stretchesOf, type Page, type Stretch } from './page.ts';
import type { Texts } from './read-texts.ts';

/** Something found, and the stretches of texts that hold it. */
export interface Hit {
  readonly finding: Finding;
  readonly stretches: readonly Stretch[];
}

/**
 * Runs the detectors, and that of secrets, over everything that a message says, as it stands and normalized. Secrets
 * are searched without cuts, since a key may be longer than slices overlap.
 */
export async function searchTexts(texts: Texts, detectors: readonly Detector[]): Promise<readonly Hit[]> {
  const pages = [...texts.prose, texts.words];
  const raws = pages.map(({ text }) => text);
  const normalized = await normalizeAll(raws);
  const searched = normalized.map((one, index) => ({ raw: raws[index] ?? '', normalized: one }));
  const found = await detectAll(searched, detectors);
  const secrets = await findSecretsAll(raws);
  // Where nothing was disguised, there is nothing more to see.
  const disguised = await findSecretsAll(
    searched.map(({ raw, normalized: { text } }) => (text === raw ? '' : text)),
  );
  return pages.flatMap((page, index) => {
    const map = normalized[index];
    const revealed = (disguised[index] ?? []).map((finding) => ({
      ...finding,
      ...map?.toOriginal(finding.start, finding.end),
    }));
    const all = [...(found[index] ?? []), ...withoutRepeats([...(secrets[index] ?? []), ...revealed])];
    return all.flatMap((finding) => hitsOf(page, finding, page === texts.words));
  });
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
