import { EN_ABOUT } from './en-about.ts';
import { EN_AGENT_ATTACKS } from './en-agents.ts';
import { EN_ATTACKS } from './en-attacks.ts';
import { EN_INNOCENT, EN_INNOCENT_SLOTS } from './en-innocent.ts';
import { EN_CHARACTERS, EN_JAILBREAK_SLOTS, EN_JAILBREAKS } from './en-jailbreaks.ts';
import { EN_NEAR, EN_NEAR_SLOTS } from './en-near.ts';
import { EN_OPERATOR } from './en-operator.ts';
import { EN_PARAPHRASE, EN_PARAPHRASE_SLOTS } from './en-paraphrase.ts';
import { EN_RULES, EN_RULES_SLOTS } from './en-rules.ts';
import { EN_SHORT_ATTACKS, EN_SHORT_INNOCENT } from './en-short.ts';
import { EN_SLOTS } from './en-slots.ts';
import { SHARED_SLOTS } from './shared-slots.ts';
import { EN_TOOLS, EN_TOOLS_SLOTS } from './en-tools.ts';
import type { Phrases } from './types.ts';

export const EN: Phrases = {
  language: 'en',
  slots: {
    ...SHARED_SLOTS,
    ...EN_SLOTS,
    ...EN_INNOCENT_SLOTS,
    ...EN_PARAPHRASE_SLOTS,
    ...EN_NEAR_SLOTS,
    ...EN_JAILBREAK_SLOTS,
    ...EN_RULES_SLOTS,
    ...EN_TOOLS_SLOTS,
  },
  attacks: [...EN_ATTACKS, ...EN_AGENT_ATTACKS, ...EN_PARAPHRASE, ...EN_JAILBREAKS, ...EN_SHORT_ATTACKS],
  innocent: [
    ...EN_INNOCENT,
    ...EN_OPERATOR,
    ...EN_ABOUT,
    ...EN_NEAR,
    ...EN_CHARACTERS,
    ...EN_SHORT_INNOCENT,
    ...EN_RULES,
    ...EN_TOOLS,
  ],
};
