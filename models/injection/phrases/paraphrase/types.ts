import type { Phrases } from '../types.ts';

/** More templates of a language: attacks that avoid the classical words, and innocent texts in the same form. */
export type Paraphrases = Pick<Phrases, 'slots' | 'attacks' | 'innocent'>;
