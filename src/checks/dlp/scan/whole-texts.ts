import type { StreamDetector } from '../../../detectors/finding.ts';
import type { TextDelta } from '../../../providers/provider.ts';
import { RecentMap } from '../../../recent-map.ts';
import { textDigest } from '../../../text-digest.ts';
import { createArgumentsScanner } from './arguments.ts';
import { MaskingBuffer } from './masking-buffer.ts';
import type { Replacement } from './masking-buffer.ts';
import type { Found } from '../scan-batch.ts';
import { createTextScanner } from './scanner.ts';
import type { Work } from '../../../turns.ts';
import { piecesOf } from './pieces.ts';

const MAX_REMEMBERED = 16;

interface WholeText extends Pick<TextDelta, 'text' | 'signed'> {
  /** A JSON document, or what may be one. */
  readonly isJson?: boolean;
  /** What stands before it, as in TextScannerOptions. */
  readonly context?: string;
}

/**
 * Searches texts that come whole. The end of a stream says all of it again, up to four times: what was found is
 * remembered by a digest, the text is not.
 */
export class WholeTexts {
  readonly #detector: StreamDetector;
  readonly #known = new RecentMap<readonly Replacement[]>(MAX_REMEMBERED);

  constructor(detector: StreamDetector) {
    this.#detector = detector;
  }

  /** The text on its way out; adds what was found, once for equal texts. */
  *search(whole: WholeText, found: Found[]): Work<MaskingBuffer> {
    const { text, context = '', isJson = false, signed = false } = whole;
    const digest = textDigest(context + text);
    const key = digest === undefined ? undefined : `${isJson} ${signed} ${digest}`;
    const known = key === undefined ? undefined : this.#known.get(key);
    if (known !== undefined) return withReplacements(text, known);

    const scanner = isJson
      ? createArgumentsScanner(this.#detector)
      : createTextScanner(this.#detector, { context });
    for (const piece of piecesOf(text)) {
      for (const one of scanner.push(piece)) found.push(one);
      yield piece.length;
    }
    for (const one of scanner.finish()) found.push(one);
    const { buffer } = scanner;
    // The provider takes a signed text back as it was, or empty.
    if (signed && buffer.replacements.length > 0) buffer.replaceAll();
    if (key !== undefined) this.#known.set(key, buffer.replacements);
    return buffer;
  }
}

function withReplacements(text: string, replacements: readonly Replacement[]): MaskingBuffer {
  const buffer = new MaskingBuffer();
  buffer.append(text);
  for (const one of replacements) buffer.replace(one);
  buffer.settleAll();
  return buffer;
}
