import { AR } from './ar.ts';
import { DE } from './de.ts';
import { EN } from './en.ts';
import { ES } from './es.ts';
import { EVERYDAY } from './everyday.ts';
import { FR } from './fr.ts';
import { HI } from './hi.ts';
import { IT } from './it.ts';
import { JA } from './ja.ts';
import { NL } from './nl.ts';
import { PARAPHRASES } from './paraphrase/index.ts';
import { PT } from './pt.ts';
import { RU } from './ru.ts';
import type { Phrases } from './types.ts';
import { ZH } from './zh.ts';

/** The phrases of all languages. */
export const PHRASES: readonly Phrases[] = [EN, DE, FR, ES, IT, PT, NL, RU, ZH, JA, AR, HI].map((phrases) => {
  const more = PARAPHRASES[phrases.language];
  return {
    language: phrases.language,
    slots: { ...phrases.slots, ...more?.slots },
    attacks: [...phrases.attacks, ...(more?.attacks ?? [])],
    innocent: [...phrases.innocent, ...(EVERYDAY[phrases.language] ?? []), ...(more?.innocent ?? [])],
  };
});
