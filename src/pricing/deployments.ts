import type { ProviderName } from '../providers/registry.ts';

export type ModelOf = (provider: ProviderName, name: string) => string;

/** Maps Azure deployments (`providers.azure.deployments`, in any letter case) to models. */
export function createModelOf(deployments: Readonly<Record<string, string>>): ModelOf {
  const models = new Map(Object.entries(deployments).map(([name, model]) => [name.toLowerCase(), model]));
  return (provider, name) => (provider === 'azure' ? (models.get(name.trim().toLowerCase()) ?? name) : name);
}
