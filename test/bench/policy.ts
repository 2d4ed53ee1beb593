import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyCall } from '../../src/policy/call.ts';
import { readPolicyFiles, type PolicySources } from '../../src/policy/policy-files.ts';
import { loadPolicies } from '../../src/policy/load-policies.ts';
import type { PolicySet } from '../../src/policy/policy-set.ts';
import { PRESET_NAMES } from '../../src/policy/presets.ts';
import { percentile } from '../support/load.ts';
import { llmCall, NOTHING_HIDDEN_FIELDS } from '../support/policy-call.ts';
import { CARDS, promptOf, REGO_FILES, writeCards, writeRego } from './policy-files.ts';

/** One set of policies, with its memory and the cost of judging a prompt. */
interface PolicyCost {
  readonly policies: string;
  /** Memory of the process after everything is released; 0 without a policy. */
  readonly memoryMb: number;
  readonly calls: readonly {
    readonly promptBytes: number;
    /** Whether the prompt was read before, as in an agent's history. */
    readonly isKnown: boolean;
    readonly p50Ms: number;
    /** CPU of all threads, per call. */
    readonly cpuMs: number;
  }[];
}

interface Rig {
  readonly policies: string;
  readonly set: PolicySet | undefined;
  readonly memoryMb: number;
}

/** Calls of each round, and their number. */
const PROMPTS = [
  { promptBytes: 1_024, isKnown: false, calls: 1_000 },
  { promptBytes: 1_024, isKnown: true, calls: 300 },
  { promptBytes: 102_400, isKnown: false, calls: 30 },
  { promptBytes: 1_048_576, isKnown: false, calls: 5 },
] as const;
type Prompt = (typeof PROMPTS)[number];
const LIMITS = { evaluationMs: 5_000, graceMs: 1_000, startMs: 60_000, maxWaiting: 10, waitMs: 60_000 };

/**
 * Measures the cost of judging a call in this process, without Envoy: presets, cards and Rego, each in every round, with
 * prompts of three lengths. The prompt contains nothing that a preset denies, and the Rego files read it.
 */
export async function measureJudging(rounds: number): Promise<readonly PolicyCost[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gw-bench-'));
  const rigs = await startRigs(folder);
  const samples = new Map<string, { ms: number[]; cpuMs: number[] }>();
  for (let round = 1; round <= rounds; round++) {
    for (const { policies, set } of rigs) {
      process.stderr.write(`round ${round} of ${rounds}: ${policies}\n`);
      for (const prompt of PROMPTS) await sample(set, prompt, samplesOf(samples, policies, prompt));
    }
  }
  for (const { set } of rigs) await set?.close();
  rmSync(folder, { recursive: true, force: true });
  return rigs.map(({ policies, memoryMb }) => ({
    policies,
    memoryMb,
    calls: PROMPTS.map((prompt) => {
      const { ms, cpuMs } = samplesOf(samples, policies, prompt);
      const { promptBytes, isKnown } = prompt;
      return { promptBytes, isKnown, p50Ms: median(ms), cpuMs: median(cpuMs) };
    }),
  }));
}

async function startRigs(folder: string): Promise<Rig[]> {
  const none = { file: undefined, folder: undefined, presets: [] };
  const wanted: readonly (readonly [string, PolicySources])[] = [
    ['safety preset', { ...none, presets: ['safety'] }],
    ['all five presets', { ...none, presets: PRESET_NAMES }],
    [`${CARDS} cards`, { ...none, folder: writeCards(join(folder, 'cards')) }],
    [`${REGO_FILES} Rego files`, { ...none, folder: writeRego(join(folder, 'rego')) }],
  ];
  const rigs: Rig[] = [{ policies: 'no policy', set: undefined, memoryMb: 0 }];
  for (const [policies, sources] of wanted) {
    const before = process.memoryUsage.rss();
    const { set } = await loadPolicies(await readPolicyFiles(sources), LIMITS);
    for (let n = 0; n < 20; n++) await set.decide(callOf(1_024, 'a prompt to begin with'));
    rigs.push({ policies, set, memoryMb: (process.memoryUsage.rss() - before) / 1e6 });
  }
  return rigs;
}

function samplesOf(
  all: Map<string, { ms: number[]; cpuMs: number[] }>,
  policies: string,
  { promptBytes, isKnown }: Prompt,
) {
  const key = `${policies} ${promptBytes} ${String(isKnown)}`;
  const found = all.get(key) ?? { ms: [], cpuMs: [] };
  all.set(key, found);
  return found;
}

async function sample(
  set: PolicySet | undefined,
  { promptBytes, isKnown, calls }: Prompt,
  into: { readonly ms: number[]; readonly cpuMs: number[] },
): Promise<void> {
  const first = prompts;
  prompts += calls;
  const before = process.cpuUsage();
  for (let n = 0; n < calls; n++) {
    const call = callOf(promptBytes, isKnown ? 'a prompt of old' : `prompt number ${first + n}`);
    const started = performance.now();
    await set?.decide(call);
    into.ms.push(performance.now() - started);
  }
  const { user, system } = process.cpuUsage(before);
  into.cpuMs.push((user + system) / 1_000 / calls);
}

/** Number of judged prompts, which makes each prompt different. */
let prompts = 0;

/** @param name the start of the prompt */
function callOf(bytes: number, name: string): PolicyCall {
  const text = promptOf(bytes, name);
  return {
    ...llmCall(text, { session: { id: 's', steps: 3, tools_called: ['read_file'] } }),
    action: () => ({ normalized_prompt: text, obfuscation: NOTHING_HIDDEN_FIELDS }),
  };
}

function median(numbers: readonly number[]): number {
  return percentile(
    [...numbers].sort((a, b) => a - b),
    0.5,
  );
}
