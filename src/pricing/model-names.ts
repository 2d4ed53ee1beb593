import { providers, type Provider, type ProviderName } from '../providers/registry.ts';

/** A lookup key: the price table's names of provider and model. */
export interface TableName {
  readonly table: string;
  readonly model: string;
}

/** Snapshot suffixes: `-20250929`, `@20250929`, `-2024-08-06`, `-2506`, `-002`, `-preview-05-20`. */
const SNAPSHOT = /(?:[-@]20\d{6}|-20\d{2}-\d{2}-\d{2}|-(?:preview|exp)-\d{2}-\d{2,4}|-\d{4}|-00\d)$/;

/**
 * Returns the names that a model may have in the price table, best first. A dated name finds its model's price, since
 * providers bill snapshots as the model.
 */
export function tableNames(provider: ProviderName, model: string): TableName[] {
  const { pricing }: Provider = providers[provider];
  const { table = provider, tableNames: ownNames = plainNames, vendorTables } = pricing;
  const names = ownNames(model.trim());
  const found = names.flatMap((name) => withoutSnapshot(name)).map((name) => ({ table, model: name }));
  if (vendorTables !== undefined) found.push(...names.flatMap((name) => vendorNames(name, vendorTables)));
  return found;
}

/** Returns the name as sent, then without the prefix that some clients add. */
function plainNames(model: string): readonly string[] {
  return [model, model.replace(/^models\//, '')];
}

function withoutSnapshot(name: string): string[] {
  const plain = name.replace(/-latest$/, '').replace(SNAPSHOT, '');
  return plain === name ? [name] : [name, plain, `${plain}-latest`];
}

function vendorNames(name: string, tables: ReadonlyMap<string, string>): TableName[] {
  const slash = name.indexOf('/');
  const table = tables.get(name.slice(0, slash));
  return table === undefined || name.includes(':')
    ? []
    : withoutSnapshot(name.slice(slash + 1)).map((model) => ({ table, model }));
}
