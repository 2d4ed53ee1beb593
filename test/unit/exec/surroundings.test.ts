import { describe, expect, it } from 'vitest';

import { AGENT_NAMES, knownAgent } from '../../../src/exec/agents.ts';
import { chooseProvider, prepareRun } from '../../../src/exec/exec.ts';
import { findProviderKey } from '../../../src/exec/provider-variables.ts';
import { PROVIDER_NAMES, type ProviderName } from '../../../src/providers/registry.ts';

const KEY = 'sk-exec-of-this-run';
const PLACE = { url: 'http://127.0.0.1:1', keyedUrl: `http://127.0.0.1:1/${KEY}`, key: KEY };

function prepared(command: string, provider: ProviderName, env: Record<string, string> = {}) {
  const run = {
    provider,
    place: PLACE,
    model: 'some-model',
    args: ['x'],
    env,
    file: (name: string) => `/p/${name}`,
  };
  return prepareRun(run, knownAgent(command), 'exec-1');
}

describe('the provider', () => {
  it.each([
    ['claude', 'anthropic'],
    ['/usr/local/bin/codex', 'openai'],
    ['gemini', 'gemini'],
    ['C:\\npm\\opencode.cmd', 'openai'],
    ['goose', 'openai'],
    ['qwen', 'openai'],
    ['deepseek', 'deepseek'],
    ['cn', 'openai'],
  ])('of %s is %s', (command, provider) => {
    expect(chooseProvider(command, undefined).provider).toBe(provider);
  });

  it('follows GATEWAY_PROVIDER, if the program supports it', () => {
    expect(chooseProvider('claude', 'deepseek').provider).toBe('deepseek');
    expect(chooseProvider('python', 'groq').provider).toBe('groq');
    expect(() => chooseProvider('claude', 'openai')).toThrow(
      'claude cannot use openai; use one of anthropic, deepseek, openrouter',
    );
  });

  it('of an unknown program must be named, and the error lists the values', () => {
    expect(() => chooseProvider('python', undefined)).toThrow(
      `set GATEWAY_PROVIDER for python: one of ${PROVIDER_NAMES.join(', ')} (not needed for these commands: claude, codex,`,
    );
    expect(() => chooseProvider('python', 'opnai')).toThrow(/GATEWAY_PROVIDER must be one of openai, /);
  });
});

describe('the environment of the program', () => {
  const secrets = {
    GATEWAY_PROXY_KEY: 'gw-real',
    GATEWAY_PROVIDER_KEY: 'real-9',
    OPENAI_API_KEY: 'real-1',
    ANTHROPIC_API_KEY: 'real-2',
    ANTHROPIC_AUTH_TOKEN: 'real-3',
    CLAUDE_CODE_OAUTH_TOKEN: 'real-4',
    GEMINI_API_KEY: 'real-5',
    GOOGLE_API_KEY: 'real-6',
    AWS_SECRET_ACCESS_KEY: 'real-7',
    AWS_SESSION_TOKEN: 'real-8',
    PATH: '/bin',
  };

  it.each(PROVIDER_NAMES)('holds neither key of %s, and the key of the run', (provider) => {
    const { env } = prepared('python', provider, secrets);
    const keys = Object.values(env).join(' ');
    expect(keys).not.toContain('gw-real');
    expect(keys).not.toContain('real-9');
    expect(keys).not.toContain(findProviderKey(provider, { ...secrets, GATEWAY_PROVIDER_KEY: '' }) ?? 'none');
    expect(keys).toContain(KEY);
    expect(env['PATH']).toBe('/bin');
  });

  it.each(AGENT_NAMES)('of %s has the address, and its arguments no key', (command) => {
    const { provider } = chooseProvider(command, undefined);
    const { env, args, files } = prepared(command, provider, secrets);
    expect(args.at(-1)).toBe('x');
    expect(args.join(' ')).not.toContain(KEY);
    expect(JSON.stringify([env, args, files])).toContain(PLACE.url);
    expect(JSON.stringify([env, files])).not.toContain('gw-real');
  });

  it('keeps variables that a detour would bypass', () => {
    const { env } = prepared('claude', 'anthropic', { CLAUDE_CODE_USE_BEDROCK: '1', NO_PROXY: 'a.example' });
    expect(env).toMatchObject({ NO_PROXY: 'a.example,127.0.0.1', no_proxy: '127.0.0.1' });
    expect(env).not.toHaveProperty('CLAUDE_CODE_USE_BEDROCK');
    expect(env).not.toHaveProperty('ANTHROPIC_API_KEY');
  });

  it('joins settings that opencode was given already', () => {
    const own = JSON.stringify({
      model: 'openai/gpt-4o',
      provider: { openai: { name: 'mine', options: { a: 1 } } },
    });
    const { env } = prepared('opencode', 'openai', { OPENCODE_CONFIG_CONTENT: own });
    expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')).toEqual({
      model: 'openai/gpt-4o',
      provider: {
        openai: { name: 'mine', options: { a: 1, baseURL: `${PLACE.keyedUrl}/openai/v1`, apiKey: KEY } },
      },
    });
  });

  it('leaves a configuration to Continue that its user names', () => {
    const run = {
      provider: 'openai' as const,
      place: PLACE,
      model: 'm',
      env: {},
      file: (name: string) => name,
    };
    const { args, files } = prepareRun({ ...run, args: ['--config', 'own.yaml'] }, knownAgent('cn'), 's');
    expect({ args, files }).toEqual({ args: ['--config', 'own.yaml'], files: {} });
  });
});

describe('the key of the provider', () => {
  it.each([
    ['openai', { OPENAI_API_KEY: 'a' }, 'a'],
    ['openai', { OPENAI_API_KEY: 'a', GATEWAY_PROVIDER_KEY: 'b' }, 'b'],
    ['anthropic', { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'c' }, 'c'],
    ['gemini', { GOOGLE_API_KEY: 'd' }, 'd'],
    ['bedrock', { AWS_ACCESS_KEY_ID: 'e', AWS_SECRET_ACCESS_KEY: 'f' }, 'e:f'],
    ['bedrock', { AWS_ACCESS_KEY_ID: 'e', AWS_SECRET_ACCESS_KEY: 'f', AWS_SESSION_TOKEN: 'g' }, 'e:f:g'],
    ['bedrock', { AWS_ACCESS_KEY_ID: 'e' }, undefined],
    ['groq', { OPENAI_API_KEY: 'a' }, undefined],
  ] as const)('of %s in %o is %s', (provider, env, key) => {
    expect(findProviderKey(provider, env)).toBe(key);
  });
});
