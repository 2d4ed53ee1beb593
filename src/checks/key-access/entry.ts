import { createModelOf } from '../../pricing/deployments.ts';
import { checkEntry } from '../entry.ts';

export const allowed = checkEntry(async ({ providers }) => {
  const { createAllowedCheck } = await import('./check.ts');
  return createAllowedCheck({ modelOf: createModelOf(providers.azure.deployments) });
});
