import { detectAll } from '../../detectors/detect.ts';
import type { Detector, Finding } from '../../detectors/finding.ts';
import { endsSentence, wholeOrder } from '../../detectors/injection/extent.ts';
import type { KnownValues } from '../../detectors/known-values/known-values.ts';
import { findSecretsUpTo } from '../../detectors/secrets/secrets.ts';
import { normalizeAll, type Normalized } from '../../normalize/normalize.ts';
import { isTurnOver, ITEM_CHARS, nextTurn } from '../../turns.ts';
import { invisibleText, withoutGaps, withoutTerminalCodes, type Reading } from './readings.ts';
import type { MessageText, Texts, TextSpan } from './texts.ts';

export interface PlacedFinding {
  readonly finding: Finding;
  readonly spans: readonly TextSpan[];
}

/** A message with more findings is treated as an attack. */
const MAX_PLACED = 1_000;
/** Number of raw findings, including repetitions in adjacent slices, after which detection stops. */
const MAX_FOUND = 5_000;
const MAX_SECRETS = 20_000;

export interface MessageSearch {
  readonly detectors: readonly Detector[];
  /** Values treated as secrets, such as the server's own credentials. */
  readonly known?: KnownValues;
  readonly counts: (secret: Finding) => boolean;
}

export interface ScanResult {
  readonly findings: readonly PlacedFinding[];
  /** False if there are too many findings to remove; only some are then returned. */
  readonly isWhole: boolean;
}

/**
 * Runs all detectors on all texts of a message, raw and normalized. Searches for secrets first, so that they are
 * reported even if there are too many findings. The search for secrets does not slice texts, because a key may be
 * longer than the overlap of slices.
 */
export async function findInTexts(texts: Texts, search: MessageSearch): Promise<ScanResult> {
  const { known, counts } = search;
  const searches = await searchesOf(texts);
  const raws = searches.map(({ reading }) => reading.text);
  const normalized = await normalizeAll(raws);
  const forms = normalized.map((form, index) => ({ raw: raws[index] ?? '', normalized: form }));
  const plain = await secretsIn(raws, known);
  // Texts that normalization does not change have already been searched.
  const disguised = await secretsIn(
    forms.map(({ raw, normalized: { text } }) => (text === raw ? '' : text)),
    known,
  );
  const placed = new PlacedFindings();
  const apart = await knownApart(texts, search);
  for (const [index, searched] of apart.searches.entries()) {
    const found = apart.found[index] ?? [];
    if (!(await placed.addAll(searched, found.filter(counts)))) return placed.found(false);
  }
  for (const [index, searched] of searches.entries()) {
    const disguises = await revealed(disguised.found[index] ?? [], normalized[index]);
    const secrets = withoutRepeats([...(plain.found[index] ?? []), ...disguises].filter(counts));
    if (!(await placed.addAll(searched, secrets))) return placed.found(false);
  }
  if (!plain.isWhole || !disguised.isWhole || !apart.isWhole) return placed.found(false);
  const counted = countingFindings(search.detectors);
  const found = await detectAll(forms, counted.detectors);
  if (counted.hasTooMany()) return placed.found(false);
  for (const [index, searched] of searches.entries()) {
    if (!(await placed.addAll(searched, found[index] ?? []))) return placed.found(false);
  }
  return placed.found(true);
}

const PLACING_CHARS = 64;

interface Search {
  readonly reading: Reading;
  readonly counts: (spans: readonly TextSpan[]) => boolean;
}

const IN_ANY: Search['counts'] = () => true;
const IN_ONE_TEXT: Search['counts'] = ({ length }) => length === 1;
/** Other searches find findings inside one text. */
const IN_SEVERAL: Search['counts'] = ({ length }) => length > 1;

async function searchesOf({ spoken, prose, words }: Texts): Promise<readonly Search[]> {
  const alternatives: (Reading | undefined)[] = [];
  for (const page of [spoken, ...prose, words]) {
    alternatives.push(
      await withoutTerminalCodes(page, ''),
      await withoutTerminalCodes(page, ' '),
      await invisibleText(page),
    );
  }
  return [
    ...searchesFor([spoken, ...prose], IN_ANY),
    ...searchesFor([words], IN_ONE_TEXT),
    ...searchesFor(alternatives, IN_ANY),
    ...searchesFor([await withoutGaps(sourcesOf(spoken))], IN_SEVERAL),
  ];
}

function searchesFor(
  readings: readonly (Reading | undefined)[],
  counts: Search['counts'],
): readonly Search[] {
  return readings.flatMap((reading) => (reading === undefined ? [] : [{ reading, counts }]));
}

function sourcesOf({ parts }: Texts['words']): readonly MessageText[] {
  return parts.map(({ source }) => source);
}

interface FoundSecrets {
  readonly found: readonly (readonly Finding[])[];
  readonly isWhole: boolean;
}

async function secretsIn(texts: readonly string[], known: KnownValues | undefined): Promise<FoundSecrets> {
  const secrets = await findSecretsUpTo(texts, MAX_SECRETS);
  const values = (await known?.findAll(texts, MAX_SECRETS)) ?? [];
  return {
    found: secrets.map(({ findings }, index) => [...findings, ...(values[index] ?? [])]),
    isWhole: secrets.every(({ isWhole }) => isWhole) && values.flat().length <= MAX_SECRETS,
  };
}

/** Finds known values in Base64-encoded binary data, and across single words, which clients may join. */
async function knownApart(
  { words, unread }: Texts,
  { known }: MessageSearch,
): Promise<FoundSecrets & { readonly searches: readonly Search[] }> {
  if (known === undefined || known.isEmpty) return { searches: [], found: [], isWhole: true };
  const values = sourcesOf(words).filter(({ kind }) => kind !== 'name');
  const searches = [
    ...searchesFor([unread], IN_ANY),
    ...searchesFor([await withoutGaps(values)], IN_SEVERAL),
  ];
  const found = await known.findAll(
    searches.map(({ reading }) => reading.text),
    MAX_SECRETS,
  );
  return { searches, found, isWhole: found.flat().length <= MAX_SECRETS };
}

/** Extends a finding to the end of its instruction, but not beyond a single word or a text that ends a sentence. */
function wholeFinding({ reading: { text, spans }, counts }: Search, found: Finding): PlacedFinding {
  const reached = spans(found);
  const last = reached.at(-1);
  const rest =
    last !== undefined && (counts === IN_ONE_TEXT || endsSentence(last.source.text))
      ? last.source.text.length - last.end
      : undefined;
  const finding = wholeOrder(rest === undefined ? text : text.slice(0, found.end + rest), found);
  return { finding, spans: finding.end === found.end ? reached : spans(finding) };
}

/** Findings in order of discovery, without repeats from other readings. */
class PlacedFindings {
  readonly #all: PlacedFinding[] = [];
  readonly #seen = new Map<MessageText, PlacedFinding[]>();

  /** Resolves to false if there are too many findings to remove. One finding may cover thousands of texts. */
  async addAll(search: Search, findings: readonly Finding[]): Promise<boolean> {
    for (const finding of findings) {
      const placedFinding = wholeFinding(search, finding);
      if (search.counts(placedFinding.spans) && !this.#add(placedFinding)) return false;
      if (isTurnOver(PLACING_CHARS + placedFinding.spans.length * ITEM_CHARS)) await nextTurn();
    }
    return true;
  }

  #add(placedFinding: PlacedFinding): boolean {
    const [first] = placedFinding.spans;
    if (first === undefined) return true;
    const seen = this.#seen.get(first.source) ?? [];
    this.#seen.set(first.source, seen);
    if (seen.some((other) => isSameFinding(other, placedFinding))) return true;
    seen.push(placedFinding);
    return this.#all.push(placedFinding) <= MAX_PLACED;
  }

  found(isWhole: boolean): ScanResult {
    return { findings: this.#all, isWhole };
  }
}

/**
 * Reports whether two findings of one rule begin in the same text, overlap there, and end in the same text. A prompt
 * injection that extends further than the earlier one differs from it.
 */
function isSameFinding(earlier: PlacedFinding, later: PlacedFinding): boolean {
  const [a] = earlier.spans;
  const [b] = later.spans;
  const goesFurther = (later.spans.at(-1)?.end ?? 0) > (earlier.spans.at(-1)?.end ?? 0);
  if (goesFurther && earlier.finding.detector === 'prompt_injection') return false;
  return (
    earlier.finding.rule === later.finding.rule &&
    earlier.spans.at(-1)?.source === later.spans.at(-1)?.source &&
    a !== undefined &&
    b !== undefined &&
    a.start < b.end &&
    b.start < a.end
  );
}

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

async function revealed(
  findings: readonly Finding[],
  normalized: Normalized | undefined,
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const finding of findings) {
    found.push({ ...finding, ...normalized?.toOriginal(finding) });
    if (isTurnOver(PLACING_CHARS)) await nextTurn();
  }
  return found;
}

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
