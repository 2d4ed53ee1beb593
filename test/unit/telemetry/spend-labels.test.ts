import { describe, expect, it } from 'vitest';
import { createModelLabels, createOwnerLabels } from '../../../src/telemetry/spend-labels.ts';

describe('models', () => {
  it('are named up to the limit; further ones are `other`', () => {
    const label = createModelLabels(2);
    const models = ['gpt-4o', 'anthropic.claude-v2:0', 'gpt-4o', 'third', undefined, 'gpt-4o'];
    expect(models.map(label)).toEqual([
      'gpt-4o',
      'anthropic.claude-v2:0',
      'gpt-4o',
      'other',
      'other',
      'gpt-4o',
    ]);
  });

  it.each(['a secret of somebody', 'a"b', 'a\nb', '', 'x'.repeat(129)])(
    'do not use %j as a label',
    (model) => {
      expect(createModelLabels(9)(model)).toBe('other');
    },
  );
});

describe('owners', () => {
  it('are named up to the limit, beside keys without an owner', () => {
    const label = createOwnerLabels(2);
    const owners = [undefined, 'Ada Lovelace', 'grace@example.com', 'third', 'Ada Lovelace', ''];
    expect(owners.map(label)).toEqual([
      '-',
      'Ada Lovelace',
      'grace@example.com',
      'other',
      'Ada Lovelace',
      '-',
    ]);
  });

  it.each(['a\nb', 'a\u202eb', 'x'.repeat(129)])('do not use %j as a label', (owner) => {
    expect(createOwnerLabels(9)(owner)).toBe('other');
  });
});
