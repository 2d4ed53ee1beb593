import type { ProviderName } from '../providers/registry.ts';
import { globMatches } from '../text/glob.ts';
import type { KeyRecord } from './key-record.ts';

/** Reports whether a key may use a provider. */
export function mayUseProvider(key: KeyRecord, provider: ProviderName): boolean {
  return key.provider === provider || key.allowedProviders?.includes(provider) === true;
}

/** Reports whether a key may use a model, by the name that is allowed or forbidden (not a deployment's). */
export function mayUseModel({ allowedModels }: KeyRecord, model: string): boolean {
  return allowedModels?.every((glob) => !matches(glob, model)) !== true;
}

function matches(glob: string, model: string): boolean {
  return globMatches(glob, model) || globMatches(glob, model.replace(/^models\//, ''));
}
