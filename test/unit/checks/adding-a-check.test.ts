import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = new URL('../../..', import.meta.url).pathname;

const ENTRY = `
import * as z from 'zod';
import { section } from '../../config/fields.ts';
import { configuredCheck } from '../entry.ts';

const shouting = section({ max_capitals: z.int().min(0).default(40) }).prefault({});

export const quiet = configuredCheck({ shouting }, async ({ shouting: { max_capitals } }) => {
  const { createQuietCheck } = await import('./check.ts');
  return createQuietCheck(max_capitals);
});
`;

const CHECK = `
import { PASS, type Check } from '../../pipeline/check.ts';

export function createQuietCheck(maxCapitals: number): Check<unknown, 'quiet'> {
  return {
    name: 'quiet',
    shadowable: true,
    requestBody({ request }) {
      const capitals = request.texts.flatMap(({ text }) => text.match(/[A-Z]/g) ?? []).length;
      if (capitals <= maxCapitals) return PASS;
      return { kind: 'deny', type: 'policy_denied', message: \`\${capitals} capitals\` };
    },
  };
}
`;

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'gateway-scratch-'));
  for (const folder of ['src', 'cli', 'policies']) {
    cpSync(join(ROOT, folder), join(scratch, folder), { recursive: true });
  }
  cpSync(join(ROOT, 'package.json'), join(scratch, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(scratch, 'node_modules'));

  const folder = join(scratch, 'src/checks/quiet');
  mkdirSync(folder);
  writeFileSync(join(folder, 'entry.ts'), ENTRY);
  writeFileSync(join(folder, 'check.ts'), CHECK);
  const order = join(scratch, 'src/checks/order.ts');
  const before = readFileSync(order, 'utf8');
  writeFileSync(
    order,
    `import { quiet } from './quiet/entry.ts';\n${before.replace(/^ {2}loop,.*$/m, '$&\n  quiet, // nobody need shout')}`,
  );
});
afterAll(() => {
  rmSync(scratch, { recursive: true });
});

interface Report {
  readonly summary: { readonly checks: readonly string[] };
  readonly violations: readonly unknown[];
}

/** Judges `text` as a user does, by the scratch copy. */
async function verified(text: string, maxCapitals: number): Promise<Report> {
  const at = (name: string): string => join(scratch, name);
  writeFileSync(at('gateway.yaml'), `shouting:\n  max_capitals: ${maxCapitals}\n`);
  const said = { type: 'llm_call', provider: 'openai', model: 'gpt-4o', content: text };
  writeFileSync(at('trace.json'), JSON.stringify({ version: '1', session_id: 'one', traces: [said] }));
  const args = [
    'cli/main.ts',
    'verify',
    '--trace',
    'trace.json',
    '--output',
    'json',
    '--fail-on-violation=false',
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: scratch });
  return JSON.parse(stdout) as Report;
}

describe('a check is added by its folder and its line in order.ts', () => {
  it('which judges in its place', async () => {
    const { summary, violations } = await verified('DO IT NOW', 6);
    expect(violations).toMatchObject([{ check: 'quiet', reason: '7 capitals' }]);
    const place = summary.checks.indexOf('quiet');
    expect(summary.checks.slice(place - 1, place + 2)).toEqual(['loop', 'quiet', 'drift']);
  });

  it('and is configured by gateway.yaml', async () => {
    expect((await verified('DO IT NOW', 7)).violations).toEqual([]);
    await expect(verified('DO IT NOW', -1)).rejects.toMatchObject({
      stderr: expect.stringContaining('shouting.max_capitals') as string,
    });
  });
});
