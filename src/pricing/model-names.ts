import type { ProviderName } from '../providers/provider.ts';

/** Where a name is looked up: the price table's own name of a provider, and the model's. */
export interface TableName {
  readonly table: string;
  readonly model: string;
}

const TABLES: Readonly<Partial<Record<ProviderName, string>>> = {
  gemini: 'google',
  bedrock: 'aws',
  xai: 'x-ai',
};

/** OpenRouter's vendor prefixes whose own table stands in where OpenRouter's lacks the model. */
const OPENROUTER_VENDORS: ReadonlyMap<string, string> = new Map([
  ['openai', 'openai'],
  ['anthropic', 'anthropic'],
  ['google', 'google'],
  ['mistralai', 'mistral'],
  ['deepseek', 'deepseek'],
  ['x-ai', 'x-ai'],
  ['cohere', 'cohere'],
]);

/** Suffixes by which OpenRouter routes the same model differently; `:free` and `:thinking` have prices of their own. */
const OPENROUTER_ROUTING = /:(?:nitro|floor|online|exacto|beta)$/;

/** `-20250929`, `@20250929`, `-2024-08-06`, `-2506`, `-002`, `-preview-05-20`: a snapshot of the model before it. */
const SNAPSHOT = /(?:[-@]20\d{6}|-20\d{2}-\d{2}-\d{2}|-(?:preview|exp)-\d{2}-\d{2,4}|-\d{4}|-00\d)$/;

/** Regions in front of a Bedrock inference profile. */
const BEDROCK_REGION = /^(?:us|us-gov|eu|apac|jp|au|ca|global)\./;

/** An ARN that names the model; application profiles and provisioned throughput hide it. */
const BEDROCK_ARN = /^arn:aws[a-z-]*:bedrock:[^/]*:(?:foundation-model|inference-profile)\/(.+)$/;

/**
 * Under which names a model may stand in the price table, best first. A dated name finds its model's price, since
 * providers bill snapshots like the model they are of.
 */
export function tableNames(provider: ProviderName, model: string): TableName[] {
  const table = TABLES[provider] ?? provider;
  const names = ownNames(provider, model.trim());
  const found = names.flatMap((name) => withoutSnapshot(name)).map((name) => ({ table, model: name }));
  if (provider === 'openrouter') {
    found.push(...names.flatMap(vendorNames));
  }
  return found;
}

/** The name as sent, then without what the provider lets clients write around it. */
function ownNames(provider: ProviderName, model: string): string[] {
  switch (provider) {
    case 'gemini':
      return [model.replace(/^(?:models|publishers\/google\/models)\//, '')];
    case 'bedrock': {
      const name = BEDROCK_ARN.exec(model)?.[1] ?? model;
      return name.startsWith('arn:') ? [] : [name, name.replace(BEDROCK_REGION, '')];
    }
    case 'fireworks':
      return [model, `accounts/fireworks/models/${model}`];
    case 'openrouter':
      return [model, model.replace(OPENROUTER_ROUTING, '')];
    default:
      return [model, model.replace(/^models\//, '')];
  }
}

function withoutSnapshot(name: string): string[] {
  const plain = name.replace(/-latest$/, '').replace(SNAPSHOT, '');
  return plain === name ? [name] : [name, plain, `${plain}-latest`];
}

function vendorNames(name: string): TableName[] {
  const slash = name.indexOf('/');
  const table = OPENROUTER_VENDORS.get(name.slice(0, slash));
  return table === undefined || name.includes(':')
    ? []
    : withoutSnapshot(name.slice(slash + 1)).map((model) => ({ table, model }));
}
