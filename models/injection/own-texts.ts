import { CARRIERS, embed } from './phrases/carriers.ts';
import type { Row } from './row.ts';
import { readTexts, type Texts } from './texts.ts';

/** Every n-th text is reserved for measuring. */
const HELD_BACK_BY = 8;
/** Number of rows with each attack among innocent texts, and maximum number of these texts. */
const AMONG_OTHERS = 2;
const MAX_OTHERS = 3;
/** Every n-th attack is also put into a document. */
const DOCUMENTS_BY = 2;

/** Returns the rows of `texts/`: each text alone, attacks among innocent texts, and some in documents. */
export function textRows(random: () => number): readonly Row[] {
  return readTexts().flatMap((texts) => [
    ...rowsOf(partOf(texts, false), false, random),
    ...rowsOf(partOf(texts, true), true, random),
  ]);
}

function partOf(texts: Texts, isHeldBack: boolean): Texts {
  const of = (list: readonly string[]): readonly string[] =>
    list.filter((_text, index) => (index % HELD_BACK_BY === 0) === isHeldBack);
  return { ...texts, attacks: of(texts.attacks), innocent: of(texts.innocent) };
}

function rowsOf({ language, attacks, innocent }: Texts, isHeldBack: boolean, random: () => number): Row[] {
  const carriers = CARRIERS[language] ?? [];
  const one = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  const rows: Row[] = [];
  function add(text: string, isAttack: boolean, surface: Required<Row>['surface']): void {
    rows.push({ set: `texts-${language}`, text, isAttack, isHeldBack, surface });
  }
  /** Puts a text at a random place among one to three innocent texts. */
  function surrounded(text: string): string {
    const texts = Array.from({ length: 1 + Math.floor(random() * MAX_OTHERS) }, () => one(innocent));
    texts.splice(Math.floor(random() * (texts.length + 1)), 0, text);
    return texts.join(random() < 0.5 ? ' ' : '\n');
  }
  for (const text of innocent) add(text, false, 'alone');
  for (const [index, text] of attacks.entries()) {
    add(text, true, 'alone');
    for (let count = 0; count < AMONG_OTHERS; count += 1) {
      add(surrounded(text), true, 'among others');
      add(surrounded(one(innocent)), false, 'among others');
    }
    if (index % DOCUMENTS_BY > 0) continue;
    add(embed(one(carriers), text, random), true, 'in a document');
    add(embed(one(carriers), one(innocent), random), false, 'in a document');
  }
  return rows;
}
