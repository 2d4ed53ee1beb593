import { COMMON_TEXTS } from './common-texts.ts';
import { RecentMap } from './recent-map.ts';
import { textDigest } from './text-digest.ts';

/** Of a gateway's traffic: the histories of some hundred agents. */
export const MAX_REMEMBERED_TEXTS = 50_000;

export interface TextReading<Result> {
  /** Gives other requests a turn; the n-th result is the n-th text's. */
  readonly read: (texts: readonly string[]) => Promise<readonly Result[]>;
  /** There was nothing to do in it, and never will be. */
  readonly isClean: (result: Result, text: string) => boolean;
  /** The result of a clean text. */
  readonly clean: (text: string) => Result;
  /** MAX_REMEMBERED_TEXTS unless told. */
  readonly maxTexts?: number | undefined;
}

/**
 * Agents send their history again with every turn: a text in which there was nothing to do is known again by its
 * digest, and is not gone through twice. The text itself is not kept. Words that every request is made of are too short
 * for that, and are known by themselves.
 */
export function rememberClean<Result>({
  read,
  isClean,
  clean,
  maxTexts = MAX_REMEMBERED_TEXTS,
}: TextReading<Result>): TextReading<Result>['read'] {
  const known = new RecentMap<true>(maxTexts);
  const cleanWords = new Set<string>();
  return async (texts) => {
    const digests = texts.map(textDigest);
    const isKnown = texts.map((text, index) => {
      const digest = digests[index];
      return digest === undefined ? cleanWords.has(text) : known.get(digest) === true;
    });
    const fresh = await read(texts.filter((_text, index) => isKnown[index] !== true));
    let next = 0;
    return texts.map((text, index) => {
      if (isKnown[index] === true) return clean(text);
      const result = fresh[next++];
      if (result === undefined) throw new Error('a text was not read');
      const digest = digests[index];
      if (digest === undefined) {
        if (COMMON_TEXTS.has(text) && isClean(result, text)) cleanWords.add(text);
      } else if (isClean(result, text)) known.set(digest, true);
      return result;
    });
  };
}
