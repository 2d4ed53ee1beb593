import { tailOf } from './tail-of.ts';

/** Put in place of the characters from `start` to `end` (exclusive). */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * A text on its way to the client: what has come, how much of it may leave, and what stands in place of its findings.
 * Offsets count from the text's first character.
 */
export class Outlet {
  /** From #sent on. */
  #text = '';
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
  }

  /** What has come and is not taken, from one offset to another. */
  peek(start: number, end: number): string {
    return this.#text.slice(Math.max(0, start - this.#sent), Math.max(0, end - this.#sent));
  }

  /** Lets everything before an offset leave, but for the first half of a surrogate pair. */
  settle(to: number): void {
    const tears = to > this.#sent && isHighSurrogate(this.#text.charCodeAt(to - 1 - this.#sent));
    this.#settled = Math.max(this.#settled, tears ? to - 1 : to);
  }

  settleAll(): void {
    this.#settled = this.length;
  }

  /**
   * Called in order of `start`. What overlaps or touches the one before goes with it, without a text of its own; what
   * has left already is past replacing, and the rest is replaced.
   */
  replace({ start, end, text }: Replacement): void {
    if (start <= this.#replacedTo) {
      if (end <= this.#replacedTo) return;
      this.#replacements.push({ start: Math.max(this.#replacedTo, this.#sent), end, text: '' });
    } else {
      this.#replacements.push({ start: Math.max(start, this.#sent), end, text });
    }
    this.#replacedTo = end;
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

  /** Whether something between two offsets is replaced; only asked of what is not taken. */
  isReplaced(start: number, end: number): boolean {
    const all = this.#replacements;
    let low = 0;
    let high = all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((all[middle]?.end ?? 0) <= start) low = middle + 1;
      else high = middle;
    }
    const next = all[low];
    return next !== undefined && next.start < Math.max(end, start + 1);
  }

  /** Takes out everything up to an offset that was not taken before. */
  take(to: number): string {
    const chars = to - this.#sent;
    if (chars <= 0) return '';
    const whole = chars >= this.#text.length;
    const text = whole ? this.#text : this.#text.slice(0, chars);
    this.#text = tailOf(this.#text, chars);
    const from = this.#sent;
    this.#sent = to;
    return this.#replacements.length === 0 ? text : this.#replaced(text, from);
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

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
