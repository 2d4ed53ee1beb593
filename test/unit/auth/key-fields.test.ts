import { describe, expect, it } from 'vitest';
import { newKeyFields, newKeySchema, parseKeyRecord } from '../../../src/auth/key-fields.ts';

const keyHash = `sha256:${'a'.repeat(64)}`;
const times = { created_at: '1760000000000' };

describe('a key record in Redis', () => {
  it('reads back unchanged', () => {
    const key = newKeySchema.parse({
      name: 'planner é',
      provider: 'anthropic',
      agentName: 'a',
      owner: 'o',
      allowedTools: ['x,y', 'z'],
      allowedProviders: ['openai'],
      allowedModels: ['claude-*'],
      trust: ['system'],
      tags: { team: 'a=b' },
      policyOverrides: { 'safety/block-cvv': 'off', 'mask-ssn': 'report' },
      jwtSubject: 's',
    });
    expect(parseKeyRecord({ ...newKeyFields(keyHash, key), ...times })).toEqual({
      ...key,
      keyHash,
      createdAt: 1_760_000_000_000,
    });
  });

  it('has no field for values that were not set', () => {
    const fields = newKeyFields(keyHash, { name: 'n', provider: 'openai' });
    expect(fields).toEqual({ key_hash: keyHash, name: 'n', provider: 'openai' });
    expect(parseKeyRecord({ ...fields, ...times })).toEqual({
      keyHash,
      name: 'n',
      provider: 'openai',
      tags: {},
      createdAt: 1_760_000_000_000,
    });
  });

  it.each([
    { provider: 'unheard-of' },
    { created_at: '' },
    { created_at: '-1' },
    { revoked_at: 'yes' },
    { expires_at: '' },
    { tags: '[]' },
    { tags: '{' },
    { allowed_models: '"gpt"' },
    { allowed_tools: '[1]' },
    { policy_overrides: '{"mask-ssn":"maybe"}' },
    { policy_overrides: '[]' },
  ])('is damaged by %j, and then not read in part', (damage) => {
    const fields = { key_hash: keyHash, name: 'n', provider: 'openai', ...times, ...damage };
    expect(() => parseKeyRecord(fields)).toThrow();
  });

  it('trusts no role if its list names only unknown ones, and follows the configuration without a list', () => {
    const fields = { key_hash: keyHash, name: 'n', provider: 'openai', ...times };
    expect(parseKeyRecord({ ...fields, trust: '["root"]' }).trust).toEqual([]);
    expect(parseKeyRecord({ ...fields, trust: '[]' }).trust).toEqual([]);
    expect(parseKeyRecord(fields).trust).toBeUndefined();
  });

  it('allows no other provider if its list names only unknown ones', () => {
    const fields = {
      key_hash: keyHash,
      name: 'n',
      provider: 'openai',
      ...times,
      allowed_providers: '["new"]',
    };
    expect(parseKeyRecord(fields).allowedProviders).toEqual([]);
  });
});

describe('labels of a new key', () => {
  const key = { name: 'planner', provider: 'openai' } as const;
  const places: readonly (readonly [string, (label: string) => object])[] = [
    ['name', (name) => ({ name })],
    ['agent name', (agentName) => ({ agentName })],
    ['owner', (owner) => ({ owner })],
    ['tool', (tool) => ({ allowedTools: ['a', tool] })],
    ['model', (model) => ({ allowedModels: [model] })],
    ['tag name', (tag) => ({ tags: { [tag]: 'x' } })],
    ['tag value', (tag) => ({ tags: { x: tag } })],
    ['subject', (jwtSubject) => ({ jwtSubject })],
  ];
  const unseen = [
    '\n',
    '\u001b[2K',
    '\u0085',
    '\u00ad',
    '\u034f',
    '\u061c',
    '\u115f',
    '\u180e',
    '\u200b',
    '\u200d',
    '\u200e',
    '\u200f',
    '\u2028',
    '\u2029',
    '\u202a',
    '\u202e',
    '\u2060',
    '\u2066',
    '\u2069',
    '\u2800',
    '\u3164',
    '\ufe0f',
    '\ufeff',
    '\uffa0',
    '\ue000',
    '\u{e0061}',
    '\u{e0100}',
  ];

  it.each(places)('have no invisible characters: %s', (_place, place) => {
    for (const one of unseen) {
      for (const label of [`${one}admin`, `ad${one}min`, `admin${one}`]) {
        const { error } = newKeySchema.safeParse({ ...key, ...place(label) });
        expect([label, error?.issues.map(({ message }) => message).join()]).toEqual([
          label,
          expect.stringMatching(/invisible characters|Invalid key in record/),
        ]);
      }
    }
  });

  it.each(places)('may use any script: %s', (_place, place) => {
    for (const label of [
      'Zoë & Søn',
      '予算係',
      'планировщик',
      'مخطط',
      'योजनाकार',
      'a'.repeat(128),
      '🤖 bot',
    ]) {
      expect(newKeySchema.safeParse({ ...key, ...place(label) }).error).toBeUndefined();
    }
  });
});
