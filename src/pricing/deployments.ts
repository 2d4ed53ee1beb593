import type { ProviderName } from '../providers/provider.ts';

/** The model that a name stands for. */
export type ModelOf = (provider: ProviderName, name: string) => string;

/**
 * Reads `providers.azure.deployments`: a deployment is the model that it is mapped to, whatever it is called, and Azure
 * knows it in any case. A name that is not mapped stands for itself.
 */
export function createModelOf(deployments: Readonly<Record<string, string>>): ModelOf {
  const models = new Map(Object.entries(deployments).map(([name, model]) => [name.toLowerCase(), model]));
  return (provider, name) => (provider === 'azure' ? (models.get(name.trim().toLowerCase()) ?? name) : name);
}
