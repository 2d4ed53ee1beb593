import { parse } from 'yaml';
import { lines, type SourcePackage } from './sources.ts';

/** Test cases of a rule, in the format of Agent Threat Rules. */
interface ThreatRule {
  readonly test_cases?: {
    readonly true_positives?: readonly ThreatCase[];
    readonly true_negatives?: readonly ThreatCase[];
  };
  readonly evasion_tests?: readonly ThreatCase[];
}

interface ThreatCase {
  readonly input?: unknown;
  readonly tool_response?: unknown;
}

const ID = /^id: ATR-\d+-(\d+)$/m;
/** Rules that were derived from public benchmarks, which are only used for measuring. */
const BENCHMARKS =
  /garak|in-?the-?wild|bipia|promptinject|huggingface|hackaprompt|injecagent|agentdojo|spikee|cyberseceval|purple ?llama|\bpint\b|piguard|notinject|giskard|gandalf|tensor.trust|neuralchemy|s-labs|deepset|safeguard|benchmark|corpus|corpora|dataset|pipelock|jailbreakchat|\bdan\b|lakera/i;
const BENCHMARK_IDS = [
  { from: 1_001, to: 1_013 },
  { from: 1_700, to: 1_999 },
] as const;
/** Rules with texts that share six consecutive words with rows of the development collection or of the public sets. */
const OVERLAPPING: ReadonlySet<number> = new Set([
  2, 4, 5, 72, 75, 80, 83, 84, 85, 87, 116, 131, 137, 140, 202, 203, 421, 427, 428, 431, 514, 515, 516, 529,
  535, 538, 540, 565, 570, 573, 706, 708, 2012, 2019, 2022, 2193,
]);
/** Kinds of rules whose texts address a model; the others are about commands and configurations. */
const ATTACK_RULES = [
  'prompt-injection',
  'agent-manipulation',
  'tool-poisoning',
  'context-exfiltration',
] as const;
const MIN_WORDS = 4;
const LETTERS = /[\p{L}\p{M} ,.?!'’"-]/gu;
const MOSTLY = 0.9;
/** Scripts without blanks between words. */
const WITHOUT_BLANKS = /[\u3040-\u9fff]/;
const CYRILLIC = /\p{Script=Cyrillic}/u;
const RUSSIAN_QUESTION = 'как это сделать';

const PROMPTWL = 'promptwl/wordlists';
const HIVETRACE = 'hivetracered/attacks/types/single_turn';

/** Packages that test or guard language models, with their test cases: attacks, and innocent texts in the same words. */
export const GUARD_PACKAGES: readonly SourcePackage[] = [
  {
    registry: 'npm',
    name: 'agent-threat-rules',
    version: '4.0.0',
    files: [
      {
        glob: `rules/{${ATTACK_RULES.join()}}/*.yaml`,
        isAttack: true,
        texts: (content) => threatCases(content, attackCases).filter(isProse),
      },
      {
        glob: `rules/{${[...ATTACK_RULES, 'skill-compromise', 'privilege-escalation'].join()}}/*.yaml`,
        isAttack: false,
        texts: (content) => threatCases(content, ({ test_cases }) => test_cases?.true_negatives ?? []),
      },
    ],
  },
  {
    name: 'prompt-armor',
    version: '0.9.1',
    files: [
      {
        glob: 'prompt_armor/data/attacks/benign_exemplars.jsonl',
        isAttack: false,
        texts: (content) => lines<{ text: string }>(content).map(({ text }) => text),
      },
    ],
  },
  {
    name: 'promptwl',
    version: '0.3.2',
    files: [
      'agents/*',
      'extraction/system-prompt-leak',
      'injection/{instruction-override,payload-splitting}',
      'jailbreak/{authority-impersonation,persona-override}',
      'multilingual/*',
    ].map((list) => ({
      glob: `${PROMPTWL}/${list}.txt`,
      isAttack: true,
      texts: (content) => content.split('\n').filter((line) => !line.startsWith('#') && isSentence(line)),
    })),
  },
  {
    name: 'raginject',
    version: '0.12.0',
    files: [
      {
        glob: 'raginject/attacks/patterns/*.yaml',
        isAttack: true,
        texts: (content) =>
          (parse(content) as { injected_content: string }[]).map(({ injected_content }) => injected_content),
      },
    ],
  },
  {
    name: 'agentic-redteam',
    version: '1.0.0',
    files: [
      {
        glob: 'agentic_redteam/payloads/{prompt_injection,indirect_injection}.yaml',
        isAttack: true,
        texts: queries,
      },
      { glob: 'agentic_redteam/payloads/clean_queries.yaml', isAttack: false, texts: queries },
    ],
  },
  {
    name: 'hivetracered',
    version: '1.0.22',
    files: [
      {
        glob: `${HIVETRACE}/{roleplay,context_switching,output_formatting,task_deflection}/*.yaml`,
        isAttack: true,
        texts: (content) => {
          const { prompt } = parse(content) as { prompt?: unknown };
          return typeof prompt === 'string' && CYRILLIC.test(prompt)
            ? [prompt.replaceAll('{prompt}', RUSSIAN_QUESTION)]
            : [];
        },
      },
    ],
  },
  {
    name: 'inspect_evals',
    version: '0.26.0',
    files: [true, false].map((isAttack) => ({
      glob: 'inspect_evals/ipi_coding_agent/dataset/samples.json',
      isAttack,
      texts: (content) => codingTexts(content, isAttack),
    })),
  },
];

function attackCases({ test_cases, evasion_tests = [] }: ThreatRule): readonly ThreatCase[] {
  return [...(test_cases?.true_positives ?? []), ...evasion_tests];
}

/** Returns the texts of the cases that `select` returns, without those of rules derived from benchmarks. */
function threatCases(
  content: string,
  select: (rule: ThreatRule) => readonly ThreatCase[],
): readonly string[] {
  const id = Number(ID.exec(content)?.[1]);
  const isOfBenchmark = BENCHMARK_IDS.some(({ from, to }) => id >= from && id <= to);
  if (isOfBenchmark || OVERLAPPING.has(id) || BENCHMARKS.test(content)) return [];
  return select(parse(content) as ThreatRule)
    .map(({ input, tool_response }) => input ?? tool_response)
    .filter((text): text is string => typeof text === 'string' && isSentence(text));
}

function isSentence(text: string): boolean {
  return text.trim().split(/\s+/).length >= MIN_WORDS || WITHOUT_BLANKS.test(text);
}

/** Leaves out commands, configurations and code, which are attacks on programs. */
function isProse(text: string): boolean {
  return (text.match(LETTERS)?.length ?? 0) / text.length > MOSTLY;
}

/** Reads the prompts of a promptfoo suite. */
function queries(content: string): readonly string[] {
  return (parse(content) as { vars?: { query?: string; prompt?: string } }[])
    .map(({ vars }) => vars?.query ?? vars?.prompt)
    .filter((text) => text !== undefined);
}

interface CodingSample {
  readonly issue_text?: string;
  readonly repo_files?: Readonly<Record<string, string>>;
  readonly payload_indicator?: string;
  readonly is_benign: boolean;
}

/** Returns issues and files of a repository that contain the injection, or issues without one. */
function codingTexts(content: string, isAttack: boolean): readonly string[] {
  return Object.values(JSON.parse(content) as Record<string, CodingSample>)
    .filter(({ is_benign }) => is_benign !== isAttack)
    .flatMap(({ issue_text = '', repo_files = {}, payload_indicator = '' }) =>
      isAttack
        ? [issue_text, ...Object.values(repo_files)].filter((text) =>
            new RegExp(payload_indicator).test(text),
          )
        : [issue_text],
    );
}
