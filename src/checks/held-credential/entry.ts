import { checkEntry } from '../entry.ts';

export const heldCredential = checkEntry(async ({ credentials }, { observer }) => {
  if (Object.keys(credentials).length === 0) return undefined;
  const { createHeldCredentialCheck } = await import('./check.ts');
  return createHeldCredentialCheck({
    onMasked: () => {
      observer.dlpFound({ class: 'secret', side: 'answer', action: 'mask' });
    },
  });
});
