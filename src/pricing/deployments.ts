import type { ProviderName } from '../providers/registry.ts';

export type ModelOf = (provider: ProviderName, name: string) => string;

/**
 * Reads `providers.azure.deployments`, which maps deployments to models. Azure ignores the case of names. A
 * name without a mapping stands for itself.
 */
export function createModelOf(deployments: Readonly<Record<string, string>>): ModelOf {
  const models = new Map(Object.entries(deployments).map(([name, model]) => [name.toLowerCase(), model]));
  return (provider, name) => (provider === 'azure' ? (models.get(name.trim().toLowerCase()) ?? name) : name);
}
