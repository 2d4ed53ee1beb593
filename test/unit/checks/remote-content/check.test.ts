import { describe, expect, it } from 'vitest';
import { createRemoteContentCheck } from '../../../../src/checks/remote-content/check.ts';
import { createOfflineChecks } from '../../../../src/composition/create-offline.ts';
import type { ConfigInput } from '../../../../src/config/schema.ts';
import type { Verdict } from '../../../../src/pipeline/check.ts';
import { createCardSet } from '../../../../src/policy/cards/card-set.ts';
import { policySetOf } from '../../../../src/policy/policy-set.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { defaultConfig } from '../../../support/default-config.ts';
import { parsed } from '../../../support/exchange.ts';

const TEXT_RULE = '{ field: prompt_text, op: contains, value: xylophone }';

interface Setup {
  readonly config?: ConfigInput;
  /** Conditions of a card's only rule, for any call unless `match` is set. */
  readonly condition?: string;
  readonly match?: string;
}

/** The verdict of the check, built from the configuration as a gateway builds it. */
function judge(
  setup: Setup,
  body: JsonObject,
  provider: ProviderName = 'openai',
  path = '/v1/chat/completions',
): Promise<Verdict | undefined> {
  return judgeExchange(setup, parsed({ provider, path, body }));
}

async function judgeExchange(
  { config = {}, condition, match = '{}' }: Setup,
  exchange: Parsed,
): Promise<Verdict | undefined> {
  const text = `metadata: { name: c }\nrules: [{ name: r, match: ${match}, conditions: [${condition ?? ''}], action: taint, taint: t }]`;
  const cards = createCardSet([{ name: 'c', text, isPreset: false }]);
  const checks = await createOfflineChecks({
    config: defaultConfig(config),
    policies: condition === undefined ? undefined : policySetOf('d', cards, undefined),
    audit: { digest: () => '', emit: () => undefined },
    onPolicyTrouble: () => undefined,
    now: () => 0,
  });
  const check = checks.inOrder.find(({ name }) => name === 'remote-content');
  const verdict = await check?.requestBody?.(exchange, undefined);
  await checks.close();
  return verdict;
}

const PNG = 'data:image/png;base64,AAAA';
const image = (url: string): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
});
const REMOTE = image('https://cdn.example.com/a.png');
const denied = (field: string) => ({
  kind: 'deny',
  type: 'policy_denied',
  message: expect.stringMatching(
    new RegExp(`${field.replaceAll('.', '\\.')} .*proxy\\.remote_content`),
  ) as string,
});

describe('content at an address, with proxy.remote_content unset', () => {
  it('passes while no rule reads prompts', async () => {
    expect(await judge({}, REMOTE)).toEqual({ kind: 'pass' });
    expect(await judge({ condition: '{ field: model, op: equals, value: x }' }, REMOTE)).toEqual({
      kind: 'pass',
    });
    expect(await judge({ condition: TEXT_RULE, match: '{ type: mcp_tool_call }' }, REMOTE)).toEqual({
      kind: 'pass',
    });
    const argument = '{ field: arguments.path, op: contains, value: x }';
    expect(await judge({ condition: argument }, REMOTE)).toEqual({ kind: 'pass' });
  });

  it.each([
    TEXT_RULE,
    `{ not: ${TEXT_RULE} }`,
    '{ field: prompt_text, op: detects, value: prompt_injection }',
    '{ field: obfuscation.has_homoglyphs, op: equals, value: true }',
    '{ field: session_sequence, op: contains_matching_trace, value: { type: llm_call, content_regex: x } }',
  ])('is denied while a rule does: %s', async (condition) => {
    expect(await judge({ condition }, REMOTE)).toMatchObject(denied('messages.0.content.0.image_url.url'));
  });

  it.each(['mask', 'deny'] as const)('is denied while DLP reads requests: %s', async (requests) => {
    expect(await judge({ config: { server: { dlp: { requests } } } }, REMOTE)).toMatchObject(
      denied('image_url.url'),
    );
  });

  it('is only flagged in shadow mode, in which those rules deny nothing', async () => {
    const options = { isTextJudged: () => true, isInside: () => false, shadowMode: true };
    const verdictBy = (setting?: 'deny') =>
      createRemoteContentCheck({ ...options, setting }).requestBody?.(parsed({ body: REMOTE }), undefined);
    expect(await verdictBy()).toEqual({
      kind: 'flag',
      reason: 'would deny the URL in messages.0.content.0.image_url.url',
    });
    expect(await verdictBy('deny')).toMatchObject({ kind: 'deny' });
  });

  it('passes if it is inline, or stored at the provider', async () => {
    for (const body of [image(PNG), image('gs://bucket/a.png')]) {
      expect(await judge({ condition: TEXT_RULE }, body)).toEqual({ kind: 'pass' });
    }
  });

  it.each<[ProviderName, string, JsonObject, string]>([
    [
      'anthropic',
      '/v1/messages',
      {
        model: 'm',
        messages: [
          { role: 'user', content: [{ type: 'document', source: { type: 'url', url: 'https://x.test/a' } }] },
        ],
      },
      'messages.0.content.0.source.url',
    ],
    [
      'openai',
      '/v1/responses',
      {
        model: 'm',
        input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://x.test/a' }] }],
      },
      'input.0.content.0.file_url',
    ],
    [
      'gemini',
      '/v1beta/models/g:generateContent',
      { contents: [{ parts: [{ fileData: { fileUri: 'https://evil.test/files/a' } }] }] },
      'contents.0.parts.0.fileData.fileUri',
    ],
    ['cohere', '/v2/chat', image('https://x.test/a'), 'messages.0.content.0.image_url.url'],
    [
      'openrouter',
      '/v1/chat/completions',
      {
        model: 'm',
        messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: 'https://x.test/a' } }] }],
      },
      'messages.0.content.0.file.file_data',
    ],
  ])('is named by its field: %s', async (provider, path, body, field) => {
    expect(await judge({ condition: TEXT_RULE }, body, provider, path)).toMatchObject(denied(field));
  });
});

describe('proxy.remote_content', () => {
  const set = (remote_content: 'allow' | 'deny' | string[]): ConfigInput => ({ proxy: { remote_content } });

  it('allow passes it for any model, deny refuses it for any', async () => {
    expect(await judge({ config: set('allow'), condition: TEXT_RULE }, REMOTE)).toEqual({ kind: 'pass' });
    expect(await judge({ config: set('deny') }, REMOTE)).toMatchObject(denied('image_url.url'));
    expect(await judge({ config: set('deny') }, image(PNG))).toEqual({ kind: 'pass' });
  });

  it('as a list passes its hosts only', async () => {
    const listed = { config: set(['cdn.example.com', '.example.org']), condition: TEXT_RULE };
    for (const url of [
      'https://cdn.example.com/a',
      'https://CDN.example.com./a',
      'http://a.example.org:80/',
    ]) {
      expect(await judge(listed, image(url))).toEqual({ kind: 'pass' });
    }
    for (const url of [
      'https://example.com/',
      'https://example.org/',
      'https://cdn.example.com@evil.test/',
      'https://cdn.example.com\\@evil.test/',
      'cdn.example.com/a',
    ]) {
      expect(await judge(listed, image(url))).toMatchObject({ kind: 'deny' });
    }
  });

  it.each(['EXAMPLE.com', 'https://example.com', '*.example.com', ''])('takes no host such as %j', (host) => {
    expect(() => defaultConfig(set([host]))).toThrow(/proxy\.remote_content/);
  });
});

describe('an address inside of a network, for a self-hosted provider', () => {
  const ALLOWED: ConfigInput = { proxy: { remote_content: 'allow' } };
  const inside = { kind: 'deny', message: expect.stringContaining('self-hosted') as string };
  const part = (content: JsonObject): JsonObject => ({
    model: 'm',
    messages: [{ role: 'user', content: [content] }],
  });

  it.each<JsonObject>([
    { type: 'image_url', image_url: { url: 'http://169.254.169.254/latest' } },
    { type: 'image_url', image_url: 'file:///etc/passwd' },
    { type: 'image_url', image_url: '/etc/passwd' },
    { type: 'image_url', image_url: { url: 'gs://bucket/a' } },
    { image_url: 'http://[::ffff:127.0.0.1]/' },
    { type: 'audio_url', audio_url: { url: 'http://2130706433/' } },
    { type: 'video_url', video_url: { url: 'http://metadata.google.internal/' } },
    { type: 'input_audio', input_audio: { data: 'http://localhost/', format: 'wav' } },
    { type: 'image', image: 'http://10.0.0.1/a.png' },
    { type: 'audio', audio: 'http://10.0.0.1/a.wav' },
    { type: 'video', video: { url: 'http://10.0.0.1/a.mp4' } },
    { type: 'clip_url', clip_url: { url: 'http://10.0.0.1/' } },
    { type: 'text', text: 'hi', nested: { picture_url: 'http://redis:6379/' } },
  ])('is refused under every setting: %j', async (content) => {
    expect(await judge({ config: ALLOWED }, part(content), 'vllm')).toMatchObject(inside);
  });

  it.each<[ProviderName, string, JsonObject]>([
    ['ollama', '/api/generate', { model: 'm', prompt: 'p', images: ['http://127.0.0.1/'] }],
    [
      'vllm',
      '/v1/messages',
      {
        model: 'm',
        messages: [
          { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'http://127.0.0.1/' } }] },
        ],
      },
    ],
    [
      'vllm',
      '/v1/responses',
      {
        model: 'm',
        input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'http://127.0.0.1/' }] }],
      },
    ],
    [
      'vllm',
      '/v1/score',
      {
        model: 'm',
        text_1: 'a',
        data_2: { content: [{ type: 'image_url', image_url: { url: 'http://127.0.0.1/' } }] },
      },
    ],
    [
      'vllm',
      '/v1/chat/completions',
      { model: 'm', messages: [], kv_transfer_params: { remote_host: '10.0.0.1' } },
    ],
  ])('in each place that its engine reads: %s %s', async (provider, path, body) => {
    expect(await judge({ config: ALLOWED }, body, provider, path)).toMatchObject(inside);
  });

  it('and one of a public host, or inline, passes', async () => {
    for (const body of [REMOTE, image(PNG)]) {
      expect(await judge({ config: ALLOWED }, body, 'vllm')).toEqual({ kind: 'pass' });
    }
  });

  it('goes to no further target of a name of `models` that is self-hosted', async () => {
    const asked = (provider: ProviderName, url: string): Parsed =>
      parsed({ provider, path: '/v1/chat/completions', body: image(url) });
    for (const [url, left] of [
      ['http://169.254.169.254/latest', ['openai']],
      ['https://cdn.example.com/a.png', ['vllm', 'openai']],
    ] as const) {
      const first = asked('openai', url);
      first.fallbacks = [asked('vllm', url), asked('openai', url)];
      expect(await judgeExchange({ config: ALLOWED }, first)).toEqual({ kind: 'pass' });
      expect(first.fallbacks.map(({ provider }) => provider.name)).toEqual(left);
    }
  });

  it('is refused for any provider whose base_url is inside of a network, and for no other', async () => {
    const body = image('http://192.168.0.1/a.png');
    for (const base_url of ['http://127.0.0.1:8000', 'https://llm.internal', 'https://10.0.0.7/v1']) {
      const config = { ...ALLOWED, providers: { openai: { base_url } } };
      expect(await judge({ config }, body)).toMatchObject(inside);
    }
    expect(await judge({}, body)).toEqual({ kind: 'pass' });
  });
});
