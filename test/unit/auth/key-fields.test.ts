import { describe, expect, it } from 'vitest';
import { newKeyFields, newKeySchema, parseKeyRecord } from '../../../src/auth/key-fields.ts';

const keyHash = `sha256:${'a'.repeat(64)}`;
const times = { created_at: '1760000000000' };

describe('a key record in Redis', () => {
  it('reads back as it was written', () => {
    const key = newKeySchema.parse({
      name: 'planner é',
      provider: 'anthropic',
      agentName: 'a',
      owner: 'o',
      allowedTools: ['x,y', 'z'],
      allowedProviders: ['openai'],
      allowedModels: ['claude-*'],
      tags: { team: 'a=b' },
      jwtSubject: 's',
    });
    expect(parseKeyRecord({ ...newKeyFields(keyHash, key), ...times })).toEqual({
      ...key,
      keyHash,
      createdAt: 1_760_000_000_000,
    });
  });

  it('has no field for what was not chosen', () => {
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
  ])('is damaged with %j, and is then not read by halves', (damage) => {
    const fields = { key_hash: keyHash, name: 'n', provider: 'openai', ...times, ...damage };
    expect(() => parseKeyRecord(fields)).toThrow();
  });

  it('keeps an allowed list that names only unknown providers closed', () => {
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
