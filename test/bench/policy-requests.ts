import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfigInput } from '../../src/config/schema.ts';
import { PRESET_NAMES } from '../../src/policy/presets.ts';
import { requestBytes, runLoad } from '../support/load.ts';
import { residentBytes } from '../support/memory.ts';
import { startGateway } from './gateway-rig.ts';
import { meterCpu } from './machine.ts';
import { startOnParts } from './parts.ts';
import { CARDS, promptOf, REGO_FILES, writeCards, writeRego } from './policy-files.ts';
import type { Rig } from './rig.ts';
import { median } from './statistics.ts';

/** One set of policies, and the cost of requests through a gateway with it. */
export interface RequestCost {
  readonly policies: string;
  /** Memory of the sidecar after the rounds. */
  readonly residentMb: number;
  readonly requests: readonly RequestSample[];
}

interface RequestSample {
  readonly promptBytes: number;
  readonly p50Ms: number;
  /** CPU per request, all threads, in milliseconds; the median of the rounds. */
  readonly nodeCpuMs: number;
  readonly envoyCpuMs: number;
  /** Requests that the provider did not answer. */
  readonly failures: number;
}

const PROMPTS = [
  { promptBytes: 1_024, requests: 300 },
  { promptBytes: 102_400, requests: 60 },
  { promptBytes: 1_048_576, requests: 12 },
] as const;
type Prompt = (typeof PROMPTS)[number];

interface Samples {
  readonly latenciesMs: number[];
  readonly nodeCpuMs: number[];
  readonly envoyCpuMs: number[];
  failures: number;
}

interface PolicyGateway {
  readonly policies: string;
  readonly rig: Rig;
  readonly samples: ReadonlyMap<Prompt, Samples>;
}

/**
 * The cost of a request through real gateways that differ only in their policies, one connection each, in rounds in
 * which each has its turn. Every prompt is new: known texts cost almost nothing.
 */
export async function measurePolicyRequests(rounds: number): Promise<readonly RequestCost[]> {
  const { gateways, close } = await startPolicyGateways();
  try {
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const gateway of gateways) {
        process.stderr.write(`round ${round} of ${rounds}: ${gateway.policies}\n`);
        for (const prompt of PROMPTS) await sample(gateway, prompt, round > 0);
      }
    }
    return gateways.map(costOf);
  } finally {
    await close();
  }
}

function startPolicyGateways() {
  return startOnParts(async (parts) => {
    const empty = join(parts.directory, 'empty');
    mkdirSync(empty);
    const wanted: readonly (readonly [string, ConfigInput['policy']])[] = [
      ['no policy', { enabled: false }],
      ['safety preset', { enabled: true, policy_dir: empty, presets: ['safety'] }],
      ['all five presets', { enabled: true, policy_dir: empty, presets: [...PRESET_NAMES] }],
      [`${CARDS} cards`, { enabled: true, policy_dir: writeCards(join(parts.directory, 'cards')) }],
      [`${REGO_FILES} Rego files`, { enabled: true, policy_dir: writeRego(join(parts.directory, 'rego')) }],
    ];
    const gateways: PolicyGateway[] = [];
    for (const [policies, policy] of wanted) {
      const { rig } = await startGateway(parts, policies, { ...(policy !== undefined && { policy }) });
      gateways.push({ policies, rig, samples: new Map(PROMPTS.map((prompt) => [prompt, noSamples()])) });
    }
    return { gateways };
  });
}

const noSamples = (): Samples => ({ latenciesMs: [], nodeCpuMs: [], envoyCpuMs: [], failures: 0 });

let prompts = 0;

async function sample({ rig, samples }: PolicyGateway, prompt: Prompt, counts: boolean): Promise<void> {
  const { promptBytes, requests } = prompt;
  const stop = meterCpu(rig);
  const { latenciesMs, failures } = await runLoad(rig, {
    connections: 1,
    requests,
    bytes: () => requestBytes(rig, bodyOf(promptBytes)),
  });
  const spent = stop();
  const into = samples.get(prompt);
  if (!counts || into === undefined) return;
  into.nodeCpuMs.push((spent('node') / requests) * 1_000);
  into.envoyCpuMs.push((spent('envoy') / requests) * 1_000);
  into.latenciesMs.push(...latenciesMs);
  into.failures += failures;
}

function bodyOf(promptBytes: number): string {
  const content = promptOf(promptBytes, `prompt number ${prompts++}`);
  return JSON.stringify({ model: 'gpt-4o-mini', max_tokens: 100, messages: [{ role: 'user', content }] });
}

function costOf({ policies, rig, samples }: PolicyGateway): RequestCost {
  const node = rig.processes.find(({ part }) => part === 'node');
  return {
    policies,
    residentMb: residentBytes(node?.pid ?? 0) / 1e6,
    requests: [...samples].map(([{ promptBytes }, { latenciesMs, nodeCpuMs, envoyCpuMs, failures }]) => ({
      promptBytes,
      p50Ms: median(latenciesMs),
      nodeCpuMs: median(nodeCpuMs),
      envoyCpuMs: median(envoyCpuMs),
      failures,
    })),
  };
}
