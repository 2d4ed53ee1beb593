import { AR_PARAPHRASE } from './ar.ts';
import { DE_PARAPHRASE } from './de.ts';
import { ES_PARAPHRASE } from './es.ts';
import { FR_PARAPHRASE } from './fr.ts';
import { HI_PARAPHRASE } from './hi.ts';
import { IT_PARAPHRASE } from './it.ts';
import { JA_PARAPHRASE } from './ja.ts';
import { NL_PARAPHRASE } from './nl.ts';
import { PT_PARAPHRASE } from './pt.ts';
import { RU_PARAPHRASE } from './ru.ts';
import type { Paraphrases } from './types.ts';
import { ZH_PARAPHRASE } from './zh.ts';

/** By language (ISO 639-1); English is in en-paraphrase.ts and en-near.ts. */
export const PARAPHRASES: Readonly<Record<string, Paraphrases>> = {
  de: DE_PARAPHRASE,
  fr: FR_PARAPHRASE,
  es: ES_PARAPHRASE,
  it: IT_PARAPHRASE,
  pt: PT_PARAPHRASE,
  nl: NL_PARAPHRASE,
  ru: RU_PARAPHRASE,
  zh: ZH_PARAPHRASE,
  ja: JA_PARAPHRASE,
  ar: AR_PARAPHRASE,
  hi: HI_PARAPHRASE,
};
