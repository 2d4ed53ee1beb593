import { isHighSurrogate } from '../../text/units.ts';
import type { Replacement } from '../../text/replace-spans.ts';
import { lastIndexUpTo } from '../../text/ascending.ts';
import { GatewayError } from '../../errors.ts';
import { ITEM_CHARS, runNow, type Work } from '../../turns.ts';

const STEP_REPLACEMENTS = 256;

/** Outgoing text with its replacements. Received text becomes settled (may be sent), and is then sent. */
export class MaskingBuffer {
  #text = '';
  /** The last appended piece. Reading it from `#text` would make the engine flatten the whole string. */
  #last = '';
  #sent = 0;
  #settled = 0;
  /** Replacements that are not fully sent, in order, without overlaps. */
  #replacements: Replacement[] = [];
  #replacedTo = -1;

  get length(): number {
    return this.#sent + this.#text.length;
  }

  /** Counts characters before replacement. */
  get sent(): number {
    return this.#sent;
  }

  get settled(): number {
    return this.#settled;
  }

  append(text: string): void {
    this.#text += text;
    this.#last = text;
  }

  peek(start: number, end: number): string {
    return this.#text.slice(Math.max(0, start - this.#sent), Math.max(0, end - this.#sent));
  }

  /** Releases the text before `to`, without splitting a surrogate pair. */
  settle(to: number): void {
    const tears = to > this.#sent && isHighSurrogate(this.#unitAt(to - 1));
    this.#settled = Math.max(this.#settled, tears ? to - 1 : to);
  }

  #unitAt(offset: number): number {
    const inLast = offset - (this.length - this.#last.length);
    return inLast >= 0 ? this.#last.charCodeAt(inLast) : this.#text.charCodeAt(offset - this.#sent);
  }

  settleAll(): void {
    this.#settled = this.length;
  }

  /** Merges overlapping and adjacent replacements. Does not affect sent text. Cheap if called in order of `start`. */
  replace({ start, end, text }: Replacement): void {
    if (start < (this.#replacements.at(-1)?.start ?? -1)) {
      if (!this.#covers(start, end)) this.replaceAlso([{ start, end, text }]);
      return;
    }
    if (start <= this.#replacedTo) {
      if (end <= this.#replacedTo) return;
      this.#replacements.push({ start: Math.max(this.#replacedTo, this.#sent), end, text: '' });
    } else {
      this.#replacements.push({ start: Math.max(start, this.#sent), end, text });
    }
    this.#replacedTo = Math.max(this.#replacedTo, end);
  }

  replaceAlso(more: readonly Replacement[]): void {
    if (more.length === 0) return;
    const all = [...this.#replacements, ...more].toSorted((a, b) => a.start - b.start);
    let to = this.#sent;
    this.#replacements = [];
    for (const { start, end, text } of all) {
      if (end <= to) continue;
      const extendsLast = this.#replacements.length > 0 && start <= to;
      this.#replacements.push(
        extendsLast ? { start: to, end, text: '' } : { start: Math.max(start, to), end, text },
      );
      to = end;
    }
    this.#replacedTo = Math.max(this.#replacedTo, to);
  }

  #covers(start: number, end: number): boolean {
    const known = this.#replacements[this.#firstAfter(start)];
    return known !== undefined && known.start <= start && known.end >= end;
  }

  #firstAfter(offset: number): number {
    const known = this.#replacements;
    return 1 + lastIndexUpTo(known.length, (index) => known[index]?.end ?? 0, offset);
  }

  replaceAll(): void {
    this.#replacements = [{ start: 0, end: Infinity, text: '' }];
    this.#replacedTo = Infinity;
  }

  get replacements(): readonly Replacement[] {
    return this.#replacements;
  }

  take(to: number): string {
    const from = this.#sent;
    const text = this.#remove(to);
    return text === '' || this.#replacements.length === 0 ? text : runNow(this.#replaced(text, from));
  }

  /** Takes all text in steps, because there may be hundreds of thousands of replacements. */
  *takeAll(): Work<string> {
    const from = this.#sent;
    return yield* this.#replaced(this.#remove(this.length), from);
  }

  #remove(to: number): string {
    const chars = to - this.#sent;
    if (chars <= 0) return '';
    const whole = chars >= this.#text.length;
    const text = whole ? this.#text : this.#text.slice(0, chars);
    this.#text = tailOf(this.#text, chars);
    if (whole) this.#last = '';
    this.#sent = to;
    return text;
  }

  /** Applies replacements to `text`, which begins at offset `from`. Keeps the parts of replacements after its end. */
  *#replaced(text: string, from: number): Work<string> {
    const to = from + text.length;
    const later: Replacement[] = [];
    let replaced = '';
    let parts: string[] = [];
    let copied = from;
    for (const replacement of this.#replacements) {
      const { start, end } = replacement;
      if (start >= to) {
        later.push(replacement);
        continue;
      }
      parts.push(text.slice(copied - from, start - from), replacement.text);
      copied = Math.min(end, to);
      if (end > to) later.push({ start: to, end, text: '' });
      if (parts.length < 2 * STEP_REPLACEMENTS) continue;
      replaced += parts.join('');
      parts = [];
      yield STEP_REPLACEMENTS * ITEM_CHARS;
    }
    this.#replacements = later;
    return replaced + parts.join('') + text.slice(copied - from);
  }
}

/** After a longer beginning, the rest is copied, because a slice keeps the whole text in memory. */
const LONG_TEXT_CHARS = 4096;

export function tailOf(text: string, from: number): string {
  if (from >= text.length) return '';
  const tail = text.slice(from);
  return from > LONG_TEXT_CHARS ? Buffer.from(tail, 'utf16le').toString('utf16le') : tail;
}

export function bufferLimitExceeded(): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    'the provider sent a stream that cannot be inspected: too much text would have to be held back',
  );
}

/** Maximum number of characters kept per stream. A frame of up to 4 Mi characters waits until its end is decided. */
const MAX_KEPT_CHARS = 6_291_456;

export class KeptBound {
  /** Upper bound of the kept characters: the last count, plus the bytes received since. */
  #bytes = 0;

  /** Must be called after each event. Throws GatewayError upstream_unavailable if too much text is held back. */
  assertRoom(bytes: number, texts: Iterable<{ readonly scanner: { readonly keptChars: number } }>): void {
    this.#bytes += bytes;
    if (this.#bytes <= MAX_KEPT_CHARS) return;
    this.#bytes = 0;
    for (const { scanner } of texts) this.#bytes += scanner.keptChars;
    if (this.#bytes > MAX_KEPT_CHARS) throw bufferLimitExceeded();
  }
}
