import type { Phrases } from '../types.ts';

/** More of a language: attacks that avoid the classical words, and innocent texts in the same frames. */
export type Paraphrases = Pick<Phrases, 'slots' | 'attacks' | 'innocent'>;
