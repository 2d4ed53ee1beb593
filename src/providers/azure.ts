import { modelList } from './dialects/model-list.ts';
import { MODEL_PATHS, OPENAI_OBJECTS, OPENAI_PRICING, openaiOwn } from './openai.ts';
import { bearer, headerSafe, openaiEndpoints, pick } from './openai-style.ts';
import type { Descriptor, ErrorAnswer } from './descriptor.ts';
import type { Endpoint } from './dialect.ts';

/** Older API versions reject `max_completion_tokens` and `stream_options`. */
const older = openaiEndpoints({ limitFields: ['max_tokens'], asksUsage: false, completionsDefault: 16 });
const FIRST_CURRENT_VERSION = '2024-09-01';

const DEPLOYMENT_PATHS = ['/chat/completions', '/completions', '/embeddings'] as const;
const perDeployment = pick(openaiOwn, ...DEPLOYMENT_PATHS);
const perOlderDeployment = pick(older, ...DEPLOYMENT_PATHS);
const perResource = pick(openaiOwn, ...MODEL_PATHS);

/** The base URL may already contain the `/openai` prefix. */
const DEPLOYMENT = /^(?:\/openai)?\/deployments\/([A-Za-z0-9._-]+)(\/.+)$/;
const RESOURCE = /^(?:\/openai)?(?:\/v1)?(\/.+)$/;
const MODELS = /^(?:\/openai)?(?:\/v1)?\/models(\/[^/]+)?$/;

/** In `/openai/deployments/<name>/…`, the deployment replaces the model. The base URL is the customer's resource. */
export const azure: Descriptor<'azure'> = {
  name: 'azure',
  defaultBaseUrl: undefined,
  needsKey: true,
  selfHosted: false,
  roots: ['/openai', '/openai/v1', ''],
  basePaths: { openai: '/openai/v1' },
  modelInPath: /^(.*\/deployments\/)([^/]+)(\/.*)$/s,
  errorShape: 'openai',
  errorShapesAt: [[/^\/anthropic(\/|$)/, 'anthropic']],
  exec: {
    keys: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
    addresses: { AZURE_OPENAI_ENDPOINT: '', AZURE_API_BASE: '' },
  },
  pricing: { ...OPENAI_PRICING, outputTokensPerSecond: 300, billsError },
  traces: {
    aliases: [
      'az.ai.openai',
      'azure.ai.openai',
      'azure.ai.inference',
      'az.ai.inference',
      'azure_openai',
      'azure_ai',
    ],
  },
  // Batches read and write blobs with the resource's managed identity.
  objects: {
    ...OPENAI_OBJECTS,
    storage: ['core.windows.net', 'core.usgovcloudapi.net', 'core.chinacloudapi.cn'],
  },
  headers: new Set(['x-client-request-id', 'x-ms-client-request-id']),
  parameters: new Set(['api-version']),
  endpoint(method, path, query = '') {
    const versions = apiVersions(query);
    if (versions.length > 1) return undefined;
    if (method !== 'POST') return MODELS.test(path) ? { operation: 'models', dialect: modelList } : undefined;
    const [, deployment, below = ''] = DEPLOYMENT.exec(path) ?? [];
    if (deployment !== undefined) {
      const endpoint = find(isOlder(versions[0]) ? perOlderDeployment : perDeployment, below);
      return endpoint === undefined ? undefined : { ...endpoint, model: deployment };
    }
    return find(perResource, RESOURCE.exec(path)?.[1] ?? '');
  },
  credential(key) {
    // Entra ID tokens are JWTs; resource keys are not.
    return key.startsWith('eyJ') ? bearer(key) : { kind: 'header', name: 'api-key', value: headerSafe(key) };
  },
};

const FILTERED = /"(?:content_filter|ResponsibleAIPolicyViolation)"/;

/** Azure bills filtered requests, including tokens generated so far, and timeouts (learn.microsoft.com, OpenAI FAQ). */
function billsError({ status, text }: ErrorAnswer): boolean {
  return status === 408 || (status === 400 && (text === undefined || FILTERED.test(text)));
}

/** Azure ignores letter case in parameter names. */
function apiVersions(query: string): string[] {
  return [...new URLSearchParams(query)]
    .filter(([name]) => name.toLowerCase() === 'api-version')
    .map(([, version]) => version);
}

/** Versions are dates (`2024-10-21`, `2024-09-01-preview`) and sort as strings. */
function isOlder(version: string | undefined): boolean {
  return version !== undefined && /^\d{4}-/.test(version) && version < FIRST_CURRENT_VERSION;
}

function find(table: Readonly<Record<string, Endpoint>>, path: string): Endpoint | undefined {
  return Object.hasOwn(table, path) ? table[path] : undefined;
}
