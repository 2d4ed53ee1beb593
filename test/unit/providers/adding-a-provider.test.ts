import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scratchCopy, type ScratchCopy } from '../../support/scratch-copy.ts';

/** One field per line, so that a test can omit one. */
const FIELDS: Readonly<Record<string, string>> = {
  name: `'acme'`,
  defaultBaseUrl: `'https://api.acme.test'`,
  basePaths: `{ openai: '/v1' }`,
  errorShape: `'openai'`,
  exec: `{ keys: ['ACME_API_KEY'], addresses: { ACME_BASE_URL: '/v1' } }`,
  pricing: `{ outputTokensPerSecond: 700, table: 'openai', searchUsd: 0.02 }`,
  post: `under('/v1', pick(endpoints, '/chat/completions'))`,
};
const OPTIONAL = `traces: { aliases: ['acme_ai'], models: /^acme-/ }`;

function acmeFile(fields: readonly string[]): string {
  return `
import { openaiEndpoints, pick, tableProvider, under } from './openai-style.ts';

const endpoints = openaiEndpoints({ limitFields: ['max_tokens'], asksUsage: true });

export const acme = tableProvider({
  ${fields.map((name) => `${name}: ${FIELDS[name] ?? ''},`).join('\n  ')}
  ${OPTIONAL},
});
`;
}

/** Prints what the gateway derives from the descriptor. */
const DERIVED = `
import { newKeySchema } from './src/auth/key-fields.ts';
import { configSchema } from './src/config/schema.ts';
import { providerVariables, SECRET_VARIABLES, speakersOf } from './src/exec/provider-variables.ts';
import { createPricing } from './src/pricing/pricing.ts';
import { toolCallsNanoUsd } from './src/pricing/tool-calls.ts';
import { errorShapeOf } from './src/providers/error-shapes.ts';
import { configuredUpstreams } from './src/routing/upstreams.ts';
import { createRoute } from './src/routing/route.ts';
import { providerNamed, providerOfModel } from './src/verify/formats/fields.ts';

const config = { ...configSchema.parse({}) };
const upstreams = configuredUpstreams(config);
const { endpoint, path } = createRoute(config, upstreams)('POST', '/acme/v1/chat/completions', '');
const place = { url: 'http://run', keyedUrl: 'http://run/key', key: 'key' };
console.log(JSON.stringify({
  key: newKeySchema.shape.provider.safeParse('acme').success,
  cluster: upstreams.providers.get('acme')?.cluster,
  route: [endpoint.operation, path],
  errorShape: errorShapeOf('/acme/v1/unknown'),
  speaks: speakersOf('openai').includes('acme'),
  secret: SECRET_VARIABLES.includes('ACME_API_KEY'),
  variables: providerVariables('acme', place),
  priced: createPricing(config).find('acme', 'gpt-4o')?.worstOutputNanoUsd > 0,
  searchNanoUsd: toolCallsNanoUsd({ provider: 'acme', kept: [], reported: new Map([['web_search', 1]]), prices: {} }),
  alias: providerNamed('acme_ai'),
  model: providerOfModel('acme-large'),
}));
`;

let scratch: ScratchCopy;
beforeAll(() => {
  scratch = scratchCopy();
  scratch.write('src/providers/acme.ts', acmeFile(Object.keys(FIELDS)));
  scratch.replace('src/providers/registry.ts', /^ {2}openrouter,$/m, '$&\n  acme,');
  scratch.replace('src/providers/registry.ts', /^/, `import { acme } from './acme.ts';\n`);
});
afterAll(() => {
  scratch.remove();
});

describe('a provider is added by its file and its line in registry.ts', () => {
  it('which gives it settings and their defaults', async () => {
    const written = JSON.parse(await scratch.node('cli/main.ts', 'config', 'print', '--output', 'json')) as {
      providers: Record<string, unknown>;
      pricing: { output_tokens_per_second: Record<string, unknown> };
    };
    expect(written.providers['acme']).toEqual({ base_url: 'https://api.acme.test' });
    expect(written.pricing.output_tokens_per_second['acme']).toBe(700);
  });

  it('refuses plain http to it in gateway.yaml', async () => {
    scratch.write('gateway.yaml', 'providers:\n  acme:\n    base_url: http://api.acme.test\n');
    await expect(scratch.node('cli/main.ts', 'config', 'check')).rejects.toMatchObject({
      stdout: expect.stringContaining('providers.acme.base_url') as string,
    });
  });

  it('makes it known everywhere else', async () => {
    scratch.write('derived.ts', DERIVED);
    expect(JSON.parse(await scratch.node('derived.ts'))).toEqual({
      key: true,
      cluster: 'provider_acme',
      route: ['chat', '/v1/chat/completions'],
      errorShape: 'openai',
      speaks: true,
      secret: true,
      variables: {
        ACME_API_KEY: 'key',
        ACME_BASE_URL: 'http://run/acme/v1',
        OPENAI_API_KEY: 'key',
        OPENAI_BASE_URL: 'http://run/acme/v1',
        OPENAI_API_BASE: 'http://run/acme/v1',
      },
      priced: true,
      searchNanoUsd: 20_000_000,
      alias: 'acme',
      model: 'acme',
    });
  });

  it('and does not compile without one of its fields', async () => {
    const names = Object.keys(FIELDS);
    for (const name of names) {
      scratch.write(`src/providers/no-${name}.ts`, acmeFile(names.filter((other) => other !== name)));
    }
    const files = ['registry', ...names.map((name) => `no-${name}`)].map(
      (name) => `src/providers/${name}.ts`,
    );
    scratch.write(
      'tsconfig.providers.json',
      JSON.stringify({ extends: './tsconfig.json', include: [], files }),
    );
    const compiled = scratch.node('node_modules/typescript-7/bin/tsc', '-p', 'tsconfig.providers.json');
    const { stdout } = await compiled.then(
      () => ({ stdout: '' }),
      (failure: { stdout: string }) => failure,
    );
    const missing = [...stdout.matchAll(/Property '(\w+)' is missing/g)].map(([, name]) => name);
    expect(missing.sort()).toEqual(names.sort());
  });
});
