import { expect, it } from 'vitest';
import { pendingPerKey } from '../../../src/config/cross-field-rules.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { defaultConfig } from '../../support/default-config.ts';

it.each<[string, ConfigInput['zsp'], number]>([
  ['a tenth of the default', {}, 10],
  ['a tenth of the set number', { max_pending: 250 }, 25],
  ['at least one', { max_pending: 1 }, 1],
  ['a tenth, rounded up', { max_pending: 11 }, 2],
  ['the set number', { max_pending: 250, max_pending_per_key: 3 }, 3],
])('requests of one key that may wait for a person: %s', (_, zsp, expected) => {
  expect(pendingPerKey(defaultConfig({ zsp }))).toBe(expected);
});
