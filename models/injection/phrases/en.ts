import { EN_ABOUT } from './en-about.ts';
import { EN_AGENT_ATTACKS } from './en-agents.ts';
import { EN_ATTACKS } from './en-attacks.ts';
import { EN_INNOCENT, EN_INNOCENT_SLOTS } from './en-innocent.ts';
import { EN_OPERATOR } from './en-operator.ts';
import { EN_SLOTS } from './en-slots.ts';
import { SHARED_SLOTS } from './shared-slots.ts';
import type { Phrases } from './types.ts';

export const EN: Phrases = {
  language: 'en',
  slots: { ...SHARED_SLOTS, ...EN_SLOTS, ...EN_INNOCENT_SLOTS },
  attacks: [...EN_ATTACKS, ...EN_AGENT_ATTACKS],
  innocent: [...EN_INNOCENT, ...EN_OPERATOR, ...EN_ABOUT],
};
