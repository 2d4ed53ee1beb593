import { checkEntry } from '../entry.ts';

export const policyMask = maskingBy('first');
export const policyMaskAgain = maskingBy('again');

function maskingBy(judgement: 'first' | 'again') {
  return checkEntry(async (_config, { policies }) => {
    if (policies === undefined) return undefined;
    const { createPolicyMaskCheck } = await import('./check.ts');
    return createPolicyMaskCheck({ ...policies.masking, judgement });
  });
}
