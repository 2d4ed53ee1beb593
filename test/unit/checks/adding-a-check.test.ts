import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scratchCopy, type ScratchCopy } from '../../support/scratch-copy.ts';
import { addTallyCheck } from '../../support/tally-check.ts';

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

let scratch: ScratchCopy;
beforeAll(() => {
  scratch = scratchCopy();
  scratch.write('src/checks/quiet/entry.ts', ENTRY);
  scratch.write('src/checks/quiet/check.ts', CHECK);
  scratch.replace('src/checks/order.ts', /^ {2}loop,.*$/m, '$&\n  quiet, // in quiet words');
  scratch.replace('src/checks/order.ts', /^/, `import { quiet } from './quiet/entry.ts';\n`);
  addTallyCheck(scratch);
});
afterAll(() => {
  scratch.remove();
});

interface Report {
  readonly summary: { readonly checks: readonly string[] };
  readonly violations: readonly unknown[];
}

/** Judges `text` with the scratch copy, as a user does. */
async function verified(texts: readonly string[], config: object): Promise<Report> {
  scratch.write('gateway.yaml', JSON.stringify(config));
  const traces = texts.map((content) => ({ type: 'llm_call', provider: 'openai', model: 'gpt-4o', content }));
  scratch.write('trace.json', JSON.stringify({ version: '1', session_id: 'one', traces }));
  const options = ['--trace', 'trace.json', '--output', 'json', '--fail-on-violation=false'];
  return JSON.parse(await scratch.node('cli/main.ts', 'verify', ...options)) as Report;
}

describe('a check added by its folder and its line in order.ts', () => {
  const shouting = (max_capitals: number) => ({ shouting: { max_capitals } });

  it('judges in its place', async () => {
    const { summary, violations } = await verified(['DO IT NOW'], shouting(6));
    expect(violations).toMatchObject([{ check: 'quiet', reason: '7 capitals' }]);
    const place = summary.checks.indexOf('quiet');
    expect(summary.checks.slice(place - 2, place + 2)).toEqual(['loop', 'tally', 'quiet', 'drift']);
  });

  it('is configured by gateway.yaml', async () => {
    expect((await verified(['DO IT NOW'], shouting(7))).violations).toEqual([]);
    await expect(verified(['DO IT NOW'], shouting(-1))).rejects.toMatchObject({
      stderr: expect.stringContaining('shouting.max_capitals') as string,
    });
  });

  it('has a store that keeps its state in memory for recorded calls', async () => {
    const { violations } = await verified(['DO', 'it', 'NOW'], { tallying: { max_capitals: 4 } });
    expect(violations).toMatchObject([{ check: 'tally', reason: '5 capitals so far' }]);
  });
});
