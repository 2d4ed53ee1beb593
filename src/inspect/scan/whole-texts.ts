import { addAll } from '../../add-all.ts';
import { escapeViews } from '../../detectors/json-escapes.ts';
import type { StreamDetector } from '../../detectors/finding.ts';
import type { TextDelta } from '../../providers/dialect.ts';
import { RecentMap } from '../../recent-map.ts';
import { textDigest } from '../../clean-texts.ts';
import type { Replacement } from '../../text/replace-spans.ts';
import type { Work } from '../../turns.ts';
import type { Found } from '../inspected.ts';
import { createJsonScanner } from './json-masker.ts';
import { MaskingBuffer } from './masking-buffer.ts';
import { CHUNK_CHARS, createTextScanner, pushAll } from './text-scanner.ts';

const MAX_REMEMBERED = 16;

interface WholeText extends Pick<TextDelta, 'text' | 'signed'> {
  /** Set for a JSON document, and for a text that may be one. */
  readonly isJson?: boolean;
  readonly context?: string;
}

/** Searches whole texts. Caches findings by digest, because the end of a stream repeats its texts up to four times. */
export class WholeTexts {
  readonly #detector: StreamDetector;
  readonly #known = new RecentMap<readonly Replacement[]>(MAX_REMEMBERED);

  constructor(detector: StreamDetector) {
    this.#detector = detector;
  }

  /** Returns the outgoing text. Repeated texts add their findings only once. */
  *search(whole: WholeText, found: Found[]): Work<MaskingBuffer> {
    const { text, context = '', isJson = false, signed = false } = whole;
    const digest = textDigest(context + text);
    const key = digest === undefined ? undefined : `${isJson} ${signed} ${context.length} ${digest}`;
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known !== undefined) return withReplacements(text, known);

    const scanner = isJson
      ? createJsonScanner(this.#detector)
      : createTextScanner(this.#detector, { context });
    yield* pushAll(scanner, text, found);
    addAll(found, scanner.finish());
    const { buffer } = scanner;
    // Providers accept signed text only unchanged or empty.
    if (signed && buffer.replacements.length > 0) buffer.replaceAll();
    if (key !== undefined) this.#known.set(key, buffer.replacements);
    return buffer;
  }

  /** Searches a text that only some clients parse as JSON, both as written and with escapes decoded. */
  *searchRaw(text: string, found: Found[]): Work<MaskingBuffer> {
    const buffer = yield* this.search({ text }, found);
    for (const view of yield* escapeViews(text, CHUNK_CHARS)) {
      const { replacements } = yield* this.search({ text: view.text }, found);
      buffer.replaceAlso(
        replacements.map((replacement) => ({ ...replacement, ...view.toOriginal(replacement) })),
      );
    }
    return buffer;
  }
}

function withReplacements(text: string, replacements: readonly Replacement[]): MaskingBuffer {
  const buffer = new MaskingBuffer();
  buffer.append(text);
  for (const replacement of replacements) buffer.replace(replacement);
  buffer.settleAll();
  return buffer;
}
