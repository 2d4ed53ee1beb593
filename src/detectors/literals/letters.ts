import { ASCII_FOLDS, foldsOf, IGNORED, SEPARATOR, SIGN_FOLDS } from './fold.ts';
import { grown } from '../../text/grown.ts';

/** Folded letters and digits of a text, with offsets. The arrays are reused for the next text. */
export class Letters {
  text = '';
  count = 0;
  folds = new Int32Array(1_024);
  starts = new Int32Array(1_024);
  ends = new Int32Array(1_024);

  /** @param readsSigns whether to read signs such as `$` as letters, if they touch a letter */
  read(text: string, readsSigns: boolean): void {
    this.text = text;
    this.count = 0;
    this.#makeRoom(text.length);
    for (let at = 0; at < text.length;) {
      const unit = text.charCodeAt(at);
      if (unit < 0x80) {
        const fold = ASCII_FOLDS[unit] ?? SEPARATOR;
        if (fold > IGNORED) {
          this.folds[this.count] = fold;
          this.starts[this.count] = at;
          this.ends[this.count] = at + 1;
          this.count += 1;
        } else if (readsSigns && SIGN_FOLDS[unit] !== 0) this.#addSign(unit, at);
        at += 1;
        continue;
      }
      if (readsSigns && unit < 0x100 && SIGN_FOLDS[unit] !== 0) this.#addSign(unit, at);
      at = this.#addBeyondAscii(at);
    }
  }

  #addBeyondAscii(at: number): number {
    const codePoint = this.text.codePointAt(at) ?? 0;
    const end = at + (codePoint > 0xffff ? 2 : 1);
    for (const fold of foldsOf(codePoint)) if (fold > IGNORED) this.#add(fold, at, end);
    return end;
  }

  #addSign(unit: number, at: number): void {
    const isTouched = isWordUnit(this.text.charCodeAt(at - 1)) || isWordUnit(this.text.charCodeAt(at + 1));
    if (isTouched) this.#add(SIGN_FOLDS[unit] ?? SEPARATOR, at, at + 1);
  }

  #add(fold: number, start: number, end: number): void {
    this.#makeRoom(this.count + 1);
    this.folds[this.count] = fold;
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.count += 1;
  }

  #makeRoom(needed: number): void {
    if (needed <= this.folds.length) return;
    const room = Math.max(needed, this.folds.length * 2);
    this.folds = grown(this.folds, room);
    this.starts = grown(this.starts, room);
    this.ends = grown(this.ends, room);
  }
}

const SIGN_BESIDE_LETTER = /[\p{L}\p{N}][@$!|(+<¥£¡]|[@$!|(+<¥£¡][\p{L}\p{N}]/u;

/** Reports whether a sign is next to a letter and may represent one. */
export function mayHoldSigns(text: string): boolean {
  return SIGN_BESIDE_LETTER.test(text);
}

function isWordUnit(unit: number): boolean {
  if (unit < 0x80) return (ASCII_FOLDS[unit] ?? 0) > IGNORED || SIGN_FOLDS[unit] !== 0;
  return unit >= 0x80;
}

const OUTSIDE: readonly number[] = [];

/** Returns the folds of the code point that begins or ends at an offset. */
function foldsAt(text: string, at: number): readonly number[] {
  if (at < 0 || at >= text.length) return OUTSIDE;
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return [ASCII_FOLDS[unit] ?? SEPARATOR];
  const isLow = unit >= 0xdc00 && unit < 0xe000 && at > 0;
  return foldsOf(text.codePointAt(isLow ? at - 1 : at) ?? 0);
}

/** Reports whether a letter or digit begins or ends at an offset. */
export function isLetterAt(text: string, at: number): boolean {
  return foldsAt(text, at).some((fold) => fold > IGNORED);
}

export function isIgnoredAt(text: string, at: number): boolean {
  return foldsAt(text, at)[0] === IGNORED;
}
