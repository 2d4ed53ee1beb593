import { CARRIERS, embed } from './phrases/carriers.ts';
import { expand } from './phrases/expand.ts';
import { PHRASES } from './phrases/index.ts';
import type { Phrases } from './phrases/types.ts';
import type { Row } from './row.ts';

const ENGLISH = { sentences: 8_000, documents: 1_600 };
const OTHER = { sentences: 1_400, documents: 200 };
/** Every n-th template is reserved for measuring with unseen sentence forms. */
const HELD_BACK_BY = 8;

/** Generates texts from `phrases/`: attacks and innocent texts in twelve languages, alone, among others, in documents. */
export function ownRows(random: () => number): readonly Row[] {
  return PHRASES.flatMap((phrases) => [
    ...rowsOf(templatesOf(phrases, false), false, random),
    ...rowsOf(templatesOf(phrases, true), true, random),
  ]);
}

function templatesOf(phrases: Phrases, isHeldBack: boolean): Phrases {
  const ofPart = (templates: readonly string[]): readonly string[] =>
    templates.filter((_, index) => (index % HELD_BACK_BY === 0) === isHeldBack);
  return { ...phrases, attacks: ofPart(phrases.attacks), innocent: ofPart(phrases.innocent) };
}

function rowsOf(phrases: Phrases, isHeldBack: boolean, random: () => number): readonly Row[] {
  const counts = phrases.language === 'en' ? ENGLISH : OTHER;
  const share = (count: number): number => Math.round(isHeldBack ? count / HELD_BACK_BY : count);
  const attacks = expand(phrases, 'attacks', share(counts.sentences), random);
  const innocent = expand(phrases, 'innocent', share(counts.sentences * 1.5), random);
  const carriers = CARRIERS[phrases.language] ?? [];
  const one = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  const rows: Row[] = [];
  function add(text: string, isAttack: boolean, surface: Required<Row>['surface']): void {
    rows.push({ set: `own-${phrases.language}`, text, isAttack, isHeldBack, surface });
  }
  for (const text of attacks) add(text, true, 'alone');
  for (const text of innocent) add(text, false, 'alone');
  for (let count = 0; count < attacks.length / 3; count += 1) {
    add(`${one(innocent)} ${one(attacks)}${random() < 0.5 ? ` ${one(innocent)}` : ''}`, true, 'among others');
    add([one(innocent), one(innocent), one(innocent)].join(' '), false, 'among others');
  }
  for (let count = 0; count < share(counts.documents); count += 1) {
    add(embed(one(carriers), one(attacks), random), true, 'in a document');
    add(embed(one(carriers), random() < 0.5 ? one(innocent) : '', random), false, 'in a document');
  }
  return rows;
}
