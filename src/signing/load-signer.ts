import type { Config } from '../config/schema.ts';
import type { Signer } from './signer.ts';

/** What signs under this configuration; loaded only where something is signed. */
export async function loadSigner(signature: Config['signature']): Promise<Signer> {
  const [{ createSigningKey }, { createSigner }] = await Promise.all([
    import('./signing-key.ts'),
    import('./signer.ts'),
  ]);
  return createSigner(createSigningKey(signature));
}
