import { defaultConfig } from '../support/default-config.ts';
import { verifyTrace } from '../../src/offline-verify.ts';
import { threadCpuMs } from '../support/cpu-time.ts';
import { agentTrace } from '../support/agent-trace.ts';

/** The cost of a trace, up to one of its steps. */
export interface VerifyCost {
  readonly steps: number;
  readonly seconds: number;
  /** CPU of the main thread, which reads the trace and judges half of it, without the collector's. */
  readonly cpuSeconds: number;
  /** The maximum resident memory so far, of the whole process. */
  readonly peakMb: number;
}

const TOLD_AT = [20_000, 100_000];

/** Judges a trace of 100,000 steps in this process, under the presets of the example in docs/verify.md. */
export async function measureVerify(): Promise<readonly VerifyCost[]> {
  const startedAt = performance.now();
  const cpuBefore = threadCpuMs();
  const costs: VerifyCost[] = [];
  const steps = TOLD_AT.at(-1) ?? 0;
  const events = verifyTrace(agentTrace({ steps }), {
    config: defaultConfig({ mcp: { enabled: true } }),
    sources: { file: undefined, folder: undefined, presets: ['mcp_sandbox', 'safety'] },
    name: 'bench',
  });
  for await (const event of events) {
    const done = event.kind === 'summary' ? steps : event.kind === 'progress' ? event.elements : 0;
    if (done < (TOLD_AT[costs.length] ?? Infinity)) continue;
    costs.push({
      steps: done,
      seconds: (performance.now() - startedAt) / 1_000,
      cpuSeconds: (threadCpuMs() - cpuBefore) / 1_000,
      peakMb: process.resourceUsage().maxRSS / 1_024,
    });
  }
  return costs;
}
