import { CARRIERS, embed } from './phrases/carriers.ts';
import { expand } from './phrases/expand.ts';
import { PHRASES } from './phrases/index.ts';
import type { Row } from './row.ts';

const ENGLISH = { sentences: 3_000, documents: 1_200 };
const OTHER = { sentences: 800, documents: 150 };

/** Texts put together from `phrases/`: attacks and innocent ones in twelve languages, alone, among others, in documents. */
export function ownRows(random: () => number): readonly Row[] {
  return PHRASES.flatMap((phrases) => {
    const counts = phrases.language === 'en' ? ENGLISH : OTHER;
    const attacks = expand(phrases, 'attacks', counts.sentences, random);
    const innocent = expand(phrases, 'innocent', counts.sentences * 1.5, random);
    const carriers = CARRIERS[phrases.language] ?? [];
    const one = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
    const rows: Row[] = [];
    function add(text: string, isAttack: boolean): void {
      rows.push({ set: `own-${phrases.language}`, text, isAttack, isHeldBack: false });
    }
    for (const text of attacks) add(text, true);
    for (const text of innocent) add(text, false);
    for (let count = 0; count < attacks.length / 3; count += 1) {
      add(`${one(innocent)} ${one(attacks)}${random() < 0.5 ? ` ${one(innocent)}` : ''}`, true);
      add([one(innocent), one(innocent), one(innocent)].join(' '), false);
    }
    for (let count = 0; count < counts.documents; count += 1) {
      add(embed(one(carriers), one(attacks), random), true);
      add(embed(one(carriers), random() < 0.5 ? one(innocent) : '', random), false);
    }
    return rows;
  });
}
