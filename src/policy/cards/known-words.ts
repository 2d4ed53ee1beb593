import { createLiteralFinder, type LiteralFinder } from '../../detectors/literals/find-literals.ts';
import { cleanRecord, type SearchId } from '../../clean-texts.ts';
import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { CallText } from '../call.ts';
import type { TextMatch } from './text-query.ts';

export interface WordQueries {
  /** Path below `arguments`; undefined for all texts. */
  readonly path: readonly string[] | undefined;
  /** Query numbers by word number. */
  readonly numbers: ReadonlyMap<number, number>;
  /** Cache id of the whole set, for texts that are searched only as received. */
  readonly nothing: SearchId;
  /** Cache id for texts that are also searched normalized; joined parts are not. */
  readonly nothingNormalized: SearchId;
}

/** Words in rules (`contains`, ignoring case), all found in one pass. */
export class KnownWords {
  readonly #words: string[] = [];
  #finder: LiteralFinder | undefined;

  add(word: string): number {
    this.#finder = undefined;
    return this.#words.push(word) - 1;
  }

  /** Builds the search when policies load, so that the first call need not wait. */
  compile(): void {
    if (this.#words.length > 0) this.#finder ??= createLiteralFinder(this.#words);
  }

  *find(
    texts: Iterable<CallText>,
    { numbers, nothing, nothingNormalized }: WordQueries,
    found: Map<number, TextMatch>,
  ): Work<void> {
    this.compile();
    const finder = this.#finder;
    if (finder === undefined) return;
    const left = new Set([...numbers.values()].filter((number) => !found.has(number)));
    for (const { raw, normalized } of texts) {
      if (left.size === 0) return;
      yield ITEM_CHARS;
      const search = raw === normalized ? nothing : nothingNormalized;
      const known = cleanRecord(raw);
      if (known?.isClean(search) === true) continue;
      let isClean = true;
      for (const text of raw === normalized ? [raw] : [raw, normalized]) {
        yield* finder.search(text, ({ literal, start, end }) => {
          const number = numbers.get(literal);
          if (number === undefined) return false;
          isClean = false;
          if (left.delete(number))
            found.set(number, { ...this.#spelledByRule(literal, text, start, end), sent: raw });
          return left.size === 0;
        });
      }
      if (isClean) known?.markClean(search);
    }
  }

  /** Returns a match. An obfuscated word is replaced by the rule's spelling. */
  #spelledByRule(word: number, text: string, start: number, end: number): TextMatch {
    const named = this.#words[word] ?? '';
    const isPlain =
      end - start === named.length && text.slice(start, end).toLowerCase() === named.toLowerCase();
    return isPlain ? { start, end, text } : { start: 0, end: named.length, text: named };
  }
}
