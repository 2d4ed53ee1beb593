import { expect, it } from 'vitest';
import { readListedTools } from '../../../../../src/checks/mcp-inspector/tool-list.ts';
import { threadCpuMs } from '../../../../support/cpu-time.ts';

/** A tool with about 200,000 brackets, nested to a depth. */
function nested(depth: number): unknown {
  const piece = `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const enums = Array.from({ length: 100_000 / depth }, () => piece).join(',');
  return JSON.parse(`{"name":"a","inputSchema":{"enum":[${enums}]}}`);
}

/** The least CPU time of three runs: code is compiled in the first. */
async function leastMs(tool: unknown): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 3; run += 1) {
    const before = threadCpuMs();
    await readListedTools([tool]);
    least = Math.min(least, threadCpuMs() - before);
  }
  return least;
}

it('digest a deeply nested definition as fast as a flat one', async () => {
  expect(await leastMs(nested(125))).toBeLessThan(4 * (await leastMs(nested(1))));
});

it('digest very many definitions in turns', async () => {
  let isRead = false;
  const tools = Array.from({ length: 5_000 }, (_, index) => ({ name: `tool_${String(index)}` }));
  const reading = readListedTools(tools).then(() => {
    isRead = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isRead).toBe(false);
  await reading;
});
