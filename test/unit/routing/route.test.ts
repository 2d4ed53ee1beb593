import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../support/default-config.ts';
import { createRoute } from '../../../src/routing/route.ts';
import { configuredUpstreams } from '../../../src/routing/upstreams.ts';

const config = defaultConfig({ providers: { azure: { base_url: 'https://resource.openai.azure.com' } } });
const route = createRoute(config, configuredUpstreams(config));

describe('the name of a model in a path', () => {
  it.each([
    ['gemini', '/gemini/v1beta/models/NAME:generateContent', ''],
    ['gemini, streamed', '/gemini/v1beta/models/NAME:streamGenerateContent', 'alt=sse'],
    ['azure', '/azure/openai/deployments/NAME/chat/completions', 'api-version=2024-10-21'],
    ['azure, embeddings', '/azure/deployments/NAME/embeddings', ''],
    ['bedrock', '/bedrock/model/NAME/converse', ''],
    ['bedrock, invoke', '/bedrock/model/NAME/invoke', ''],
  ])('has at most 256 characters: %s', (_name, path, query) => {
    const to = (model: string) => route('POST', path.replace('NAME', model), query);
    const prefix = path.includes('invoke') ? 'anthropic.claude-' : '';
    expect(to(prefix + 'm'.repeat(256 - prefix.length))).toMatchObject({
      endpoint: { model: expect.any(String) as string },
    });
    for (const chars of [257, 50_000]) {
      expect(() => to(prefix + 'm'.repeat(chars - prefix.length))).toThrow('longer than 256 characters');
    }
  });

  it('may be an ARN', () => {
    const arn = `arn:aws-us-gov:bedrock:us-gov-west-1:123456789012:application-inference-profile/${'a'.repeat(64)}`;
    const { endpoint } = route('POST', `/bedrock/model/${encodeURIComponent(arn)}/converse`, '') as {
      endpoint: { model: string };
    };
    expect(endpoint.model).toBe(arn);
  });
});
