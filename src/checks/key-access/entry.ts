import { createModelOf } from '../../pricing/deployments.ts';
import { checkEntry } from '../entry.ts';

export const keyAccess = checkEntry(async ({ providers }) => {
  const { createKeyAccessCheck } = await import('./check.ts');
  return createKeyAccessCheck({ modelOf: createModelOf(providers.azure.deployments) });
});
