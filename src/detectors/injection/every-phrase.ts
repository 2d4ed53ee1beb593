import { KIND_RULES, KIND_WORDS } from './rule-kinds.ts';
import { LANGUAGE_RULES, LANGUAGE_WORDS } from './rule-languages.ts';
import { MACHINE_RULES, MACHINE_WORDS } from './rule-machines.ts';
import { ORDER_RULES, ORDER_WORDS } from './rule-orders.ts';
import { SECRECY_RULES, SECRECY_WORDS } from './rule-secrecy.ts';
import { PHRASE_RULES, type PhraseRule } from './phrase-rules.ts';
import { WORDS } from './vocabulary.ts';

/** The rules of all phrases, in order of precedence. */
export const EVERY_PHRASE: readonly PhraseRule[] = [
  ...PHRASE_RULES,
  ...KIND_RULES,
  ...LANGUAGE_RULES,
  ...ORDER_RULES,
  ...SECRECY_RULES,
  ...MACHINE_RULES,
];

/** The word classes of all phrases. */
export const EVERY_WORD = {
  ...WORDS,
  ...KIND_WORDS,
  ...LANGUAGE_WORDS,
  ...ORDER_WORDS,
  ...SECRECY_WORDS,
  ...MACHINE_WORDS,
};
