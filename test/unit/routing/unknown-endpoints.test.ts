import { describe, expect, it } from 'vitest';
import { configSchema, type ConfigInput } from '../../../src/config/schema.ts';
import { PROVIDER_NAMES, type ProviderName, providers } from '../../../src/providers/registry.ts';
import { isAdministrative } from '../../../src/routing/unknown-endpoints.ts';
import { createRoute } from '../../../src/routing/route.ts';
import { configuredUpstreams } from '../../../src/routing/upstreams.ts';
import { defaultConfig } from '../../support/default-config.ts';

type Setting = NonNullable<ConfigInput['proxy']>['unknown_endpoints'];

function operation(setting: Setting, asked: string): string {
  const config = defaultConfig({
    proxy: { unknown_endpoints: setting },
    providers: {
      azure: { base_url: 'https://resource.openai.azure.com' },
      vllm: { base_url: 'http://127.0.0.1:8000' },
    },
  });
  const [method = '', path = ''] = asked.split(' ');
  try {
    return createRoute(config, configuredUpstreams(config))(method, path, '').endpoint.operation;
  } catch (failure) {
    return (failure as { type: string }).type;
  }
}

describe('proxy.unknown_endpoints', () => {
  it.each<[Setting, string, string]>([
    [['POST /openai/v1/audio/*'], 'POST /openai/v1/audio/speech', 'unknown'],
    [['POST /openai/v1/audio/*'], 'POST /openai/v1/audio/speech/more', 'policy_denied'],
    [['POST /openai/v1/audio/*'], 'POST /openai/v1/audio', 'policy_denied'],
    [['POST /openai/v1/audio/*'], 'GET /openai/v1/audio/speech', 'policy_denied'],
    [['POST /openai/v1/audio/*'], 'POST /groq/v1/audio/speech', 'policy_denied'],
    [['POST /openai/v1/audio/sp*'], 'POST /openai/v1/audio/speech', 'unknown'],
    [['POST /openai/v1/audio/sp*'], 'POST /openai/v1/audio/translations', 'policy_denied'],
    [['GET /openai/v1/files/**'], 'GET /openai/v1/files/f/content', 'unknown'],
    [['GET /openai/v1/files/**'], 'GET /openai/v1/files', 'policy_denied'],
    [['GET /openai/**', 'POST /vllm/**'], 'POST /vllm/tokenize', 'unknown'],
    [['GET /openai/**', 'POST /vllm/**'], 'POST /vllm/pause', 'policy_denied'],
    [[], 'POST /openai/v1/audio/speech', 'policy_denied'],
    ['deny', 'POST /openai/v1/audio/speech', 'policy_denied'],
    ['allow', 'POST /openai/v1/audio/speech', 'unknown'],
    // Paths of a self-hosted server must be listed.
    ['allow', 'POST /vllm/tokenize', 'policy_denied'],
    ['allow', 'POST /ollama/api/show', 'policy_denied'],
    [['POST /openai/**'], 'POST /openai/v1/chat/completions', 'chat'],
    [['POST /groq/**'], 'POST /groq/openai/v1/audio/transcriptions', 'unknown'],
  ])('%j: %s is %s', (setting, asked, expected) => {
    expect(operation(setting, asked)).toBe(expected);
  });

  it.each([
    'openai/v1/files',
    'DELETE /openai/v1/files',
    '* /openai/v1/files',
    'POST /nobody/v1/files',
    'POST /openai',
    'POST /openai/v1/files?x=1',
    'POST /openai/v1/%66iles',
    'POST /openai//files',
    'post /openai/v1/files',
  ])('is an error with an invalid pattern: %s', (pattern) => {
    const { error } = configSchema.safeParse({ proxy: { unknown_endpoints: [pattern] } });
    expect(error?.message).toContain('POST /openai/v1/audio/*');
  });
});

describe('administrative paths', () => {
  const own: readonly ProviderName[] = ['ollama', 'vllm'];

  it.each([
    '/v1/organization/projects/p/api_keys',
    '/v1/organizations/o/invites',
    '/v1/fine_tuning/jobs',
    '/v1/fine-tunes',
    '/v1/finetuning/finetuned-models',
    '/v1/keys/k',
    '/v1/API-Keys',
    '/v1/billing/invoices',
    '/v1/credits',
    '/v1/usage',
    '/v1/audit_logs',
    '/v1/webhooks',
    '/v1/webhook_endpoints',
    '/v1/observability/logs/search',
    '/v1/vaults/v/credentials',
    '/v1/endpoints/e',
    '/v1beta/tunedModels/t',
    '/v1alpha/auth_tokens',
    '/v1/realtime/sessions',
    '/v1/accounts/a/deployments',
    '/openai/deployments',
    '/v1/users/u',
    '/v1/load_adapter',
    '/v1/things:transfer',
    '/metrics',
  ])('exist at every hosted provider: %s', (path) => {
    const open = PROVIDER_NAMES.filter((name) => !own.includes(name)).filter(
      (name) => !isAdministrative(providers[name], path),
    );
    expect(open).toEqual([]);
  });

  it.each([
    '/v1/audio/transcriptions',
    '/v1/images/generations',
    '/v1/files/file-user',
    '/v1/threads/thread_1/runs',
    '/v1/assistants',
    '/v1/batches',
    '/v1/uploads/u/parts',
    '/v1/videos/v/content',
    '/openai/deployments/whisper/audio/transcriptions',
    '/v1beta/models/imagen-4:predict',
    '/v1/ocr',
    '/v1/agents/completions',
  ])('do not include paths that use a model: %s', (path) => {
    const shut = PROVIDER_NAMES.filter((name) => !own.includes(name)).filter((name) =>
      isAdministrative(providers[name], path),
    );
    expect(shut).toEqual([]);
  });

  it.each(own)('are all unlisted paths of a self-hosted server: %s', (name) => {
    for (const path of ['/metrics', '/v1/load_lora_adapter', '/api/pull', '/anything', '/v1/audio']) {
      expect(isAdministrative(providers[name], path)).toBe(true);
    }
  });
});
