import { checkEntry } from '../entry.ts';

const JUDGED_BY = [
  'agentRisk',
  'toolModels',
  'session',
  'isReadAhead',
  'drift',
  'prompt',
  'approvedRules',
] as const;

export const policy = checkEntry(
  async (config, { policies }) => {
    if (policies === undefined) return undefined;
    const { createPolicyCheck } = await import('./check.ts');
    return createPolicyCheck({
      policies: policies.current,
      judge: policies.judge,
      trust: config.policy.trust,
    });
  },
  { reads: JUDGED_BY, writes: ['judged', 'approvedRules'] },
);

export const policyState = checkEntry(
  async ({ server, policy: { trust } }, { policies, observer }) => {
    if (policies === undefined) return undefined;
    const { createPolicyStateCheck } = await import('./state-check.ts');
    const { judge, sessions, mark } = policies;
    return createPolicyStateCheck({
      judge,
      trust,
      sessions,
      mark,
      shadowMode: server.shadow_mode,
      onTrouble: observer.policyTrouble,
    });
  },
  { reads: [...JUDGED_BY, 'judged'], writes: ['judgedAgain'], refreshes: ['session', 'approvedRules'] },
);

export const answerMarks = checkEntry(
  async (_config, { policies, observer }) => {
    if (policies === undefined) return undefined;
    const { createAnswerMarksCheck } = await import('./answer-marks.ts');
    return createAnswerMarksCheck({ mark: policies.mark, onTrouble: observer.policyTrouble });
  },
  { reads: ['judged', 'session'] },
);
