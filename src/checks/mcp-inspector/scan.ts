import { detectAll } from '../../detectors/detect.ts';
import type { Detector, Finding } from '../../detectors/finding.ts';
import { endsSentence, wholeOrder } from '../../detectors/injection/extent.ts';
import { findSecretsUpTo } from '../../detectors/secrets/secrets.ts';
import { inTurns, ITEM_CHARS, type Work } from '../../turns.ts';
import { normalizeAll } from '../../normalize/normalize.ts';
import type { Normalized } from '../../normalize/normalized.ts';
import { spansOf, type Page, type PageText, type TextSpan } from './page.ts';
import type { Texts } from './read.ts';
import { unseenOf, withoutGaps, withoutTerminalCodes, type Variant } from './variants.ts';
import type { KnownValues } from '../../detectors/known-values/known-values.ts';

/** A finding with the spans of texts that contain it. */
export interface PlacedFinding {
  readonly finding: Finding;
  readonly spans: readonly TextSpan[];
}

/** Findings in one message; a message with more is itself an attack. */
const MAX_PLACED = 1_000;
/** Raw findings of the detectors, including repeats in adjacent slices; beyond this, they are not even sorted. */
const MAX_FOUND = 5_000;
/** Secrets in all variants of a message, plain and disguised. */
const MAX_SECRETS = 20_000;

export interface MessageSearch {
  readonly detectors: readonly Detector[];
  /** The server's own credentials, which count as secrets in its messages. */
  readonly credentials: KnownValues;
  /** Reports whether a secret counts. */
  readonly counts: (secret: Finding) => boolean;
}

export interface ScanResult {
  readonly findings: readonly PlacedFinding[];
  /** False if there is more than can be removed; then only some findings are returned. */
  readonly isWhole: boolean;
}

/**
 * Runs all detectors on all texts of a message, raw and normalized. Secrets come first, so that they are
 * reported even if there are too many findings. They are searched without cuts, since a key may be longer
 * than the overlap of slices.
 */
export async function findInTexts(texts: Texts, search: MessageSearch): Promise<ScanResult> {
  const variants = await variantsOf(texts);
  const raws = variants.map(({ text }) => text);
  const normalized = await normalizeAll(raws);
  const searched = normalized.map((one, index) => ({ raw: raws[index] ?? '', normalized: one }));
  const plain = await secretsIn(raws, search.credentials);
  // Without disguises there is nothing more to find.
  const disguised = await secretsIn(
    searched.map(({ raw, normalized: { text } }) => (text === raw ? '' : text)),
    search.credentials,
  );
  const placed = new PlacedFindings();
  const apart = await credentialsApart(texts, search);
  for (const [variant, findings] of apart.found) {
    if (!(await inTurns(placed.addAll(variant, findings)))) return placed.found(false);
  }
  for (const [index, variant] of variants.entries()) {
    const given = plain.found[index] ?? [];
    const secrets = [...given, ...revealed(disguised.found[index] ?? [], normalized[index])];
    const counted = withoutRepeats(secrets.filter(search.counts));
    if (!(await inTurns(placed.addAll(variant, counted)))) return placed.found(false);
  }
  if (!plain.isWhole || !disguised.isWhole || !apart.isWhole) return placed.found(false);
  const counted = countingFindings(search.detectors);
  const found = await detectAll(searched, counted.detectors);
  if (counted.hasTooMany()) return placed.found(false);
  for (const [index, variant] of variants.entries()) {
    if (!(await inTurns(placed.addAll(variant, found[index] ?? [])))) return placed.found(false);
  }
  return placed.found(true);
}

/** Cost of locating a finding, in characters read. */
const PLACING_CHARS = 64;

/** A variant, with a filter of its findings. */
interface Searched extends Variant {
  readonly counts: (spans: readonly TextSpan[]) => boolean;
}

const COUNTS_ALL = (): boolean => true;

async function variantsOf({ spoken, prose, words }: Texts): Promise<readonly Searched[]> {
  const pages = [spoken, ...prose, words];
  const otherwise: Variant[] = [];
  for (const page of pages) {
    const read = [
      await withoutTerminalCodes(page, ''),
      await withoutTerminalCodes(page, ' '),
      await unseenOf(page),
    ];
    otherwise.push(...read.filter((variant) => variant !== undefined));
  }
  const joined = await inTurns(withoutGaps(spoken));
  return [
    ...[spoken, ...prose].map((page) => asPage(page, COUNTS_ALL)),
    // Words are unrelated to their neighbours, so findings across two of them do not count.
    asPage(words, ({ length }) => length === 1),
    ...otherwise.map((variant) => ({ ...variant, counts: COUNTS_ALL })),
    ...(joined === undefined ? [] : [overSeveral(joined)]),
  ];
}

/** Findings within one text were found there already. */
function overSeveral(joined: Variant): Searched {
  return { ...joined, counts: ({ length }) => length > 1 };
}

function asPage(page: Page, counts: Searched['counts']): Searched {
  return { text: page.text, spans: (span) => spansOf(page, span), counts };
}

interface FoundSecrets {
  /** By text. */
  readonly found: readonly (readonly Finding[])[];
  readonly isWhole: boolean;
}

async function secretsIn(texts: readonly string[], credentials: KnownValues): Promise<FoundSecrets> {
  const secrets = await findSecretsUpTo(texts, MAX_SECRETS);
  const known = await credentials.findAll(texts, MAX_SECRETS);
  return {
    found: secrets.map(({ findings }, index) => [...findings, ...(known[index] ?? [])]),
    isWhole: secrets.every(({ isWhole }) => isWhole) && known.flat().length <= MAX_SECRETS,
  };
}

/**
 * Finds the server's credentials where nothing else is searched: in base64 of other data, and across single
 * words, which a reader may join.
 */
async function credentialsApart({ words, unread }: Texts, { credentials, counts }: MessageSearch) {
  const values = words.texts.filter(({ kind }) => kind !== 'name');
  const joined = await inTurns(withoutGaps({ ...words, texts: values }));
  const variants = [
    ...(unread.texts.length === 0 ? [] : [asPage(unread, COUNTS_ALL)]),
    ...(joined === undefined ? [] : [overSeveral(joined)]),
  ];
  const all = await credentials.findAll(
    variants.map(({ text }) => text),
    MAX_SECRETS,
  );
  const found = variants.map((variant, index) => [variant, (all[index] ?? []).filter(counts)] as const);
  return { found, isWhole: all.flat().length <= MAX_SECRETS };
}

/**
 * Returns a finding extended to its whole order, with its spans. A text that ends with a sentence does not
 * continue in the next.
 */
function wholeFinding({ text, spans }: Variant, found: Finding): PlacedFinding {
  const reached = spans(found);
  const last = reached.at(-1);
  const rest =
    last !== undefined && endsSentence(last.pageText.text) ? last.pageText.text.length - last.end : undefined;
  const finding = wholeOrder(rest === undefined ? text : text.slice(0, found.end + rest), found);
  return { finding, spans: finding.end === found.end ? reached : spans(finding) };
}

/** Findings in order of discovery, without repeats from other variants. */
class PlacedFindings {
  readonly #all: PlacedFinding[] = [];
  readonly #seen = new Map<PageText, PlacedFinding[]>();

  /** Returns false once there are more than can be removed. One finding may cover very many texts. */
  *addAll(variant: Searched, findings: readonly Finding[]): Work<boolean> {
    for (const finding of findings) {
      const placedFinding = wholeFinding(variant, finding);
      if (variant.counts(placedFinding.spans) && !this.#add(placedFinding)) return false;
      yield PLACING_CHARS + placedFinding.spans.length * ITEM_CHARS;
    }
    return true;
  }

  /** Compares each finding with the previous ones. */
  #add(placedFinding: PlacedFinding): boolean {
    const [first] = placedFinding.spans;
    if (first === undefined) return true;
    const seen = this.#seen.get(first.pageText) ?? [];
    this.#seen.set(first.pageText, seen);
    if (seen.some((other) => isSameFinding(other, placedFinding))) return true;
    seen.push(placedFinding);
    return this.#all.push(placedFinding) <= MAX_PLACED;
  }

  found(isWhole: boolean): ScanResult {
    return { findings: this.#all, isWhole };
  }
}

/**
 * Reports whether two findings of one rule that begin in the same text overlap there and end in the same
 * text. An order may extend further than an earlier one.
 */
function isSameFinding(one: PlacedFinding, other: PlacedFinding): boolean {
  const [a] = one.spans;
  const [b] = other.spans;
  const goesFurther = (other.spans.at(-1)?.end ?? 0) > (one.spans.at(-1)?.end ?? 0);
  if (goesFurther && one.finding.detector === 'prompt_injection') return false;
  return (
    one.finding.rule === other.finding.rule &&
    one.spans.at(-1)?.pageText === other.spans.at(-1)?.pageText &&
    a !== undefined &&
    b !== undefined &&
    a.start < b.end &&
    b.start < a.end
  );
}

/** Wraps detectors to stop at more findings than can be removed. */
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

/** Maps findings in a normalized text to the original. */
function revealed(findings: readonly Finding[], normalized: Normalized | undefined): readonly Finding[] {
  return findings.map((finding) => ({
    ...finding,
    ...normalized?.toOriginal(finding),
  }));
}

/** Merges a secret found both disguised and plain. */
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
