import { isHighSurrogate } from '../../text/surrogates.ts';
import type { Replacement } from '../../text/replace-spans.ts';
import { lastIndexUpTo } from '../../text/ascending.ts';
import { GatewayError } from '../../errors.ts';
import { ITEM_CHARS, type Work } from '../../turns.ts';

/** Findings that are put in their places in one step. */
const STEP_REPLACEMENTS = 256;

/**
 * A text on its way to the client: what has come, how much of it may leave, and what stands in place of its findings.
 * Offsets count from the text's first character.
 */
export class MaskingBuffer {
  /** From #sent on. */
  #text = '';
  /** What was added last, the end of #text: to read in #text itself, the engine copies all of it together first. */
  #last = '';
  #sent = 0;
  #settled = 0;
  /** Those that are not wholly sent, in order and apart. */
  #replacements: Replacement[] = [];
  #replacedTo = -1;

  /** Characters that have come. */
  get length(): number {
    return this.#sent + this.#text.length;
  }

  /** Characters that were taken, as they came. */
  get sent(): number {
    return this.#sent;
  }

  /** Everything before this offset may leave. */
  get settled(): number {
    return this.#settled;
  }

  append(text: string): void {
    this.#text += text;
    this.#last = text;
  }

  /** What has come and is not taken, from one offset to another. */
  peek(start: number, end: number): string {
    return this.#text.slice(Math.max(0, start - this.#sent), Math.max(0, end - this.#sent));
  }

  /** Lets everything before an offset leave, but for the first half of a surrogate pair. */
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

  /**
   * What overlaps or touches the one before goes with it, without a text of its own; what has left already is past
   * replacing, and the rest is replaced. Cheap in order of `start`.
   */
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

  /** The same for many, in whatever order they stand to those that are known. */
  replaceAlso(more: readonly Replacement[]): void {
    if (more.length === 0) return;
    const all = [...this.#replacements, ...more].toSorted((a, b) => a.start - b.start);
    let to = this.#sent;
    this.#replacements = [];
    for (const { start, end, text } of all) {
      if (end <= to) continue;
      const begun = this.#replacements.length > 0 && start <= to;
      this.#replacements.push(
        begun ? { start: to, end, text: '' } : { start: Math.max(start, to), end, text },
      );
      to = end;
    }
    this.#replacedTo = Math.max(this.#replacedTo, to);
  }

  /** Whether all between two offsets is replaced by one that is known. */
  #covers(start: number, end: number): boolean {
    const known = this.#replacements[this.#firstAfter(start)];
    return known !== undefined && known.start <= start && known.end >= end;
  }

  /** The index of the first replacement that ends after an offset. */
  #firstAfter(offset: number): number {
    const known = this.#replacements;
    return 1 + lastIndexUpTo(known.length, (index) => known[index]?.end ?? 0, offset);
  }

  /** Leaves nothing of the text. */
  replaceAll(): void {
    this.#replacements = [{ start: 0, end: Infinity, text: '' }];
    this.#replacedTo = Infinity;
  }

  /** In place of what is not taken yet. */
  get replacements(): readonly Replacement[] {
    return this.#replacements;
  }

  /** Takes out everything up to an offset that was not taken before. */
  take(to: number): string {
    const chars = to - this.#sent;
    if (chars <= 0) return '';
    const whole = chars >= this.#text.length;
    const text = whole ? this.#text : this.#text.slice(0, chars);
    this.#text = tailOf(this.#text, chars);
    if (whole) this.#last = '';
    const from = this.#sent;
    this.#sent = to;
    return this.#replacements.length === 0 ? text : this.#replaced(text, from);
  }

  /** Takes all that has come, in steps: there may be hundreds of thousands of findings. */
  *takeAll(): Work<string> {
    if (this.#replacements.length <= STEP_REPLACEMENTS) return this.take(this.length);
    const [text, from] = [this.#text, this.#sent];
    let taken = '';
    let parts: string[] = [];
    let copied = from;
    for (const one of this.#replacements) {
      parts.push(text.slice(copied - from, one.start - from), one.text);
      copied = one.end;
      if (parts.length < 2 * STEP_REPLACEMENTS) continue;
      taken += parts.join('');
      parts = [];
      yield STEP_REPLACEMENTS * ITEM_CHARS;
    }
    const to = this.length;
    this.#text = '';
    this.#last = '';
    this.#sent = to;
    this.#replacements = copied > to ? [{ start: to, end: copied, text: '' }] : [];
    return taken + parts.join('') + text.slice(copied - from);
  }

  /** `text` stands at `from`. What is replaced beyond its end stays to be left out. */
  #replaced(text: string, from: number): string {
    const to = from + text.length;
    const parts: string[] = [];
    const later: Replacement[] = [];
    let copied = from;
    for (const one of this.#replacements) {
      if (one.start >= to) {
        later.push(one);
        continue;
      }
      parts.push(text.slice(copied - from, one.start - from), one.text);
      copied = Math.min(one.end, to);
      if (one.end > to) later.push({ start: to, end: one.end, text: '' });
    }
    parts.push(text.slice(copied - from));
    this.#replacements = later;
    return parts.join('');
  }
}

/** From a longer text's slice the engine goes back to all of that text, which then stays in memory. */
const LONG_TEXT_CHARS = 4096;

/** What follows an offset of a text, without keeping the rest of it in memory. */
export function tailOf(text: string, from: number): string {
  if (from >= text.length) return '';
  const tail = text.slice(from);
  return from > LONG_TEXT_CHARS ? Buffer.from(tail, 'utf16le').toString('utf16le') : tail;
}

/** A stream of which so much would have to be held that it cannot be inspected: it fails closed. */
export function bufferLimitExceeded(): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    'the provider sent a stream that cannot be inspected: too much text would have to be held back',
  );
}
