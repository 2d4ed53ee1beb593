import { checkEntry } from '../entry.ts';

export const policy = checkEntry(async (_config, { policies }) => {
  if (policies === undefined) return undefined;
  const { createPolicyCheck } = await import('./check.ts');
  return createPolicyCheck({ policies: policies.current, judge: policies.judge });
});

export const policyState = checkEntry(async ({ server }, { policies, observer }) => {
  if (policies === undefined) return undefined;
  const { createPolicyStateCheck } = await import('./state-check.ts');
  const { judge, sessions, mark } = policies;
  return createPolicyStateCheck({
    judge,
    sessions,
    mark,
    shadowMode: server.shadow_mode,
    onTrouble: observer.policyTrouble,
  });
});

export const answerMarks = checkEntry(async (_config, { policies, observer }) => {
  if (policies === undefined) return undefined;
  const { createAnswerMarksCheck } = await import('./answer-marks.ts');
  return createAnswerMarksCheck({ mark: policies.mark, onTrouble: observer.policyTrouble });
});
