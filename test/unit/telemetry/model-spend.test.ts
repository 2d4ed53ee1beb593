import { expect, it } from 'vitest';
import { createModelLabels } from '../../../src/telemetry/model-spend.ts';

it('names the first models, and calls all further ones other', () => {
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

it.each(['a secret of somebody', 'a"b', 'a\nb', '', 'x'.repeat(129)])('makes no label of %j', (model) => {
  expect(createModelLabels(9)(model)).toBe('other');
});
