import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { whyTooOld } from '../../../cli/main.ts';

const root = join(import.meta.dirname, '..', '..', '..');

describe('the Node that the gateway needs', () => {
  it.each(['22.15.0', '22.18.1', '23.0.0', '24.21.0', '100.0.0'])('%s is new enough', (version) => {
    expect(whyTooOld(version)).toBeUndefined();
  });

  it.each(['22.14.0', '20.20.2', '18.0.0', '4.9.1'])('%s is too old', (version) => {
    expect(whyTooOld(version)).toContain(`needs Node 22.15 or newer; this is Node ${version}`);
  });

  it('is the one that package.json claims', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      engines: { node: string };
    };
    const [, claimed = ''] = /^>=(\d+\.\d+)$/.exec(engines.node) ?? [];
    expect(whyTooOld('1.0.0')).toContain(`needs Node ${claimed} `);
  });
});
