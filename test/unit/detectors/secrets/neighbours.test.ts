import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../../src/detectors/mask.ts';
import { makeSecret, seededRandom } from './samples.ts';
import { DRAWS, spansOf } from './spans.ts';

describe('look-alikes', () => {
  const random = seededRandom(6);
  const bytes = Buffer.from(Array.from({ length: 4000 }, () => Math.floor(random() * 256)));
  it.each([
    ['a digest of a lock file', `"integrity": "sha512-${bytes.subarray(0, 64).toString('base64')}"`],
    ['a git commit', `commit ${bytes.subarray(0, 20).toString('hex')}`],
    ['a UUID', 'clientId = "6f1c1e6a-9d2b-4c7e-8a53-0d9a6b1f2c3d"'],
    ['an image', `![](data:image/png;base64,${bytes.toString('base64')})`],
    ['base64url', bytes.toString('base64url')],
    [
      'names in code',
      'const 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 = gsk_settings.sk_live_reload_enabled_by_default;',
    ],
    [
      'words',
      'disk-encryption, task-sk-learn, gw-begin-string-update-buffer-begin-index-user, ASIANDEVELOPMENTBANKS, ASIANDEVELOPMENTBANK',
    ],
    [
      'variables',
      'key: ${process.env.OPENAI_API_KEY}, Bearer {token}, cohere_api_key = os.environ["COHERE_API_KEY"]',
    ],
    [
      'a manual’s example',
      'AKIAIOSFODNN7EXAMPLE and aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    ],
    ['a hash behind a provider’s name', 'mistral: d41d8cd98f00b204e9800998ecf8427e'],
    ['prefixes alone', 'ghp_ glpat- xoxb- sk-ant-api03- npm_ hvs. AKIA AIza eyJ'],
  ])('%s is not a secret', (_what, text) => {
    expect(spansOf(text)).toEqual([]);
  });
});

describe('tokens with text directly beside them', () => {
  const random = seededRandom(17);
  const mixed = 'aB3dE5fGh7kLmN9pQrS2tUvW4xYz8cJ'.repeat(4);

  it.each(['github_token', 'aws_access_key_id', 'groq_api_key'])(
    '%s is found in italics and in bold of underscores, not in a longer name',
    (rule) => {
      const { secret } = makeSecret(rule, random);
      expect(maskSecrets(`_${secret}_ or __${secret}__.`)).toBe('_***_ or __***__.');
      expect(spansOf(`${secret}_old`)).toEqual([]);
    },
  );

  it.each([
    ['aws_access_key_id', 'and'],
    ['aws_temporary_access_key_id', 'and'],
    ['octopus_key', 'and'],
    ['twilio_key', 'and'],
    ['databricks_token', 'to'],
    ['elevenlabs_key', 'X'],
    ['deepseek_api_key', 'Key'],
  ])('%s ends at a letter that it cannot have: %s', (rule, word) => {
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const { secret } = makeSecret(rule, random);
      expect(maskSecrets(`mine is ${secret}${word} more`)).toBe(`mine is ***${word} more`);
    }
  });

  it.each([
    ['an id with a letter more', 'aws_access_key_id', 'Q'],
    ['an id with a digit more', 'aws_access_key_id', '7'],
    ['hexadecimal digits that go on', 'twilio_key', 'beef'],
  ])('%s is not found', (_what, rule, more) => {
    const { secret } = makeSecret(rule, random);
    expect(spansOf(`${secret}${more}`)).toEqual([]);
  });

  it('names in code that begin like a token or contain its beginning are not found', () => {
    for (const name of [
      'npm_configRegistryFetchRetryMaximumTimeoutMilliseconds',
      'mygsk_settingsOfTheWorkspaceThatEverybodySharesWithTheOthers',
      'EURASIANDEVELOPMENTBANK',
      'SLOVAKIANDEVELOPMENTFUNDS',
      'tokenghp_whatEverybodyCallsThePersonalAccessToken',
    ])
      expect(spansOf(name)).toEqual([]);
  });

  it('a Telegram bot token is found in the address of the API', () => {
    const { secret } = makeSecret('telegram_bot_token', random);
    expect(maskSecrets(`https://api.telegram.org/bot${secret}/getMe`)).toBe(
      'https://api.telegram.org/bot***/getMe',
    );
    expect(spansOf(`robot${secret}`)).toEqual([]);
  });

  it('a GitLab token made of words is found', () => {
    const token = ['glpat', 'testing', 'testing3else'].join('-');
    expect(spansOf(token)).toEqual([{ rule: 'gitlab_token', found: token }]);
  });

  it.each([
    ['a key of Anthropic', `sk-ant-api03-${mixed.slice(0, 70)}AA`],
    ['a token of Notion', `ntn_${mixed.slice(0, 46)}`],
    ['a macaroon of Fly', `fm2_${mixed.slice(0, 60)}`],
    ['base64 that begins as a token of Square does', `EAAA${mixed.slice(0, 60)}/aB3d`],
    ['base64 that begins as a token of Facebook does', `EAAB${mixed.slice(0, 100)}+aB3d`],
  ])('%s is not found if it is too short or continues', (_what, text) => {
    expect(spansOf(text)).toEqual([]);
  });
});

describe('ids and tokens with few digits', () => {
  it.each(['ASIA', 'ABIA', 'ACCA'])('are found after %s without a digit if they have no words', (prefix) => {
    const id = `${prefix}${'HBWTLRMK'}${'ANDGPSFC'}`;
    expect(spansOf(`id: ${id}.`).map(({ found }) => found)).toEqual([id]);
  });

  it('are found for Slack with four groups of digits, but not with three', () => {
    const groups = ['xoxs', '3472098910', '4382517429', '5069359254', '9319657024'];
    expect(spansOf(groups.join('-')).map(({ found }) => found)).toEqual([groups.join('-')]);
    expect(spansOf(groups.slice(0, 4).join('-'))).toEqual([]);
  });

  it('are found for Slack workspaces', () => {
    const token = ['xoxa', '2', 'qzu8gueop0zkt7nubdv'].join('-');
    expect(spansOf(`t=${token}`).map(({ found }) => found)).toEqual([token]);
  });
});
