import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { defaultConfig } from '../../support/default-config.ts';
import { verifyTrace } from '../../../src/offline-verify.ts';
import { agentTrace } from '../../support/agent-trace.ts';
import { WHOLE } from '../../support/seeded-part.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The heap in bytes once these numbers of steps are judged. */
async function heldAt(steps: readonly number[]): Promise<number[]> {
  const held: number[] = [];
  // Loops look an hour back: sessions of hours ago are forgotten within the trace.
  const trace = agentTrace({
    steps: (steps.at(-1) ?? 0) + 256,
    stepsOfSession: 400,
    textChars: 60,
    stepMs: 4_000,
  });
  const events = verifyTrace(trace, {
    config: defaultConfig({ mcp: { enabled: true } }),
    sources: { file: undefined, folder: undefined, presets: ['mcp_sandbox', 'safety'] },
    name: 'memory',
  });
  for await (const event of events) {
    if (event.kind !== 'progress' || event.elements < (steps[held.length] ?? Infinity)) continue;
    collect();
    held.push(process.memoryUsage().heapUsed);
  }
  return held;
}

/** The checks keep about 8 KB of a call until it is answered; the step alone takes 600 bytes. */
it('a trace is not kept in memory if its calls are never answered', { timeout: 120_000 }, async () => {
  const [from, to] = WHOLE ? [4_608, 8_704] : [1_536, 3_584];
  const [early = 0, late = 0] = await heldAt([from, to]);
  expect((late - early) / (to - from)).toBeLessThan(400);
});
