/** A word of a text, once however often it stands there. */
export interface Word {
  readonly text: string;
  readonly weight: number;
  /** It tells what the text is about; it is no filler. */
  readonly telling: boolean;
}

/** Names, paths, numbers and what stands in quotes tell one call from the next. */
const NAME_WEIGHT = 2;
const FILLER_WEIGHT = 0.1;

const QUOTES: ReadonlySet<number> = new Set([...'"\'`“‘«'].map((quote) => quote.charCodeAt(0)));
/** Letters, digits and marks, with what holds names and paths together inside; and the quote before, where one stands there. */
const WORD = /["'`“‘«]?[\p{L}\p{N}_/][\p{L}\p{N}\p{M}_./\\:@#$%+-]*/gu;
const TRAILING = '.:/\\@#$%+-';
/** Scripts without spaces between words. */
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]/;
const LOOKS_LIKE_NAME = /[\d_/\\@#]|\.[\p{L}\p{N}]|[\p{Ll}]\p{Lu}/u;

/** Words that hold a sentence together, or a conversation, in English. */
const FILLER: ReadonlySet<string> = new Set(
  `a an the this that these those it its he she they them their there here i me my mine you your yours we us our
  is are was were be been being am do does did doing done have has had having will would shall should can could may
  might must of in on at to from by for with about into onto over under as and or but if then than so because while
  when where which who whom whose what how why also too very just really quite only even still yet already now
  please kindly thanks thank hello hi hey dear sir madam good morning afternoon evening day cheers regards sorry
  ok okay yes yeah yep sure right well alright fine great perfect continue proceed next more again go going keep on
  let lets us want need like could would able ask asked asking help once`.split(/\s+/),
);

/** The words of a text in the order in which they first stand there, lower-case. */
export function wordsOf(text: string): Word[] {
  const found = new Map<string, Word>();
  const read = new Set<string>();
  const hasUnspaced = UNSPACED.test(text);
  // A list of strings takes half the time that a walk over matches does.
  for (const match of text.match(WORD) ?? []) {
    if (read.has(match)) continue;
    read.add(match);
    const quoted = QUOTES.has(match.charCodeAt(0));
    const written = withoutTail(quoted ? match.slice(1) : match);
    for (const piece of hasUnspaced && UNSPACED.test(written) ? pairsOf(written) : [written]) {
      const lower = piece.toLowerCase();
      const known = found.get(lower);
      if (known === undefined || (quoted && known.weight < NAME_WEIGHT)) {
        found.set(lower, toWord(piece, lower, quoted));
      }
    }
  }
  return [...found.values()];
}

function toWord(written: string, text: string, quoted: boolean): Word {
  if (quoted || LOOKS_LIKE_NAME.test(written)) return { text, weight: NAME_WEIGHT, telling: true };
  return FILLER.has(text)
    ? { text, weight: FILLER_WEIGHT, telling: false }
    : { text, weight: 1, telling: true };
}

export function isFiller(word: string): boolean {
  return FILLER.has(word);
}

function withoutTail(word: string): string {
  let end = word.length;
  while (end > 1 && TRAILING.includes(word[end - 1] ?? '')) end--;
  return word.slice(0, end);
}

/** Each character with the next one. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return [run];
  return characters.slice(1).map((character, index) => (characters[index] ?? '') + character);
}
