import type { Config } from '../config/schema.ts';
import type { Signer } from './signer.ts';

/** Creates the configured signer. Imports it on demand, because signing is optional. */
export async function loadSigner(signature: Config['signature']): Promise<Signer> {
  const [{ createSigningKey }, { createSigner }] = await Promise.all([
    import('./signing-key.ts'),
    import('./signer.ts'),
  ]);
  return createSigner(createSigningKey(signature));
}
