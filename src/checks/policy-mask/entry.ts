import { checkEntry } from '../entry.ts';

export const policyMask = maskingBy('judged');
export const policyMaskAgain = maskingBy('judgedAgain');

function maskingBy<Judgement extends 'judged' | 'judgedAgain'>(judgement: Judgement) {
  return checkEntry(
    async (_config, { policies }) => {
      if (policies === undefined) return undefined;
      const { createPolicyMaskCheck } = await import('./check.ts');
      return createPolicyMaskCheck({ ...policies.masking, judgement });
    },
    { reads: [judgement, 'searched'] },
  );
}
