import { lines, type SourcePackage } from './sources.ts';

interface Labelled {
  readonly text: string;
  readonly label: string;
}

/** Attacks that prompt-armor collected from public sets, by the source that it names. */
const COLLECTED = [
  ['lakera/gandalf', 'Gandalf'],
  ['deepset/prompt-injections', 'deepset'],
  ['safeguard/injection', 'safe-guard'],
  ['llmail-inject', 'LLMail-Inject'],
] as const;

/** Packages that are only used for measuring, never for training. */
export const MEASURED_PACKAGES: readonly SourcePackage[] = [
  {
    name: 'bastioncorpus',
    version: '0.6.0',
    files: [true, false].map((isAttack) => ({
      glob: 'bastioncorpus/corpus/injections.jsonl',
      isAttack,
      texts: (content) =>
        lines<Labelled>(content)
          .filter(({ label }) => (label === 'malicious') === isAttack)
          .map(({ text }) => text),
    })),
  },
  {
    name: 'agent-injection-bench',
    version: '0.1.0',
    files: [
      {
        glob: 'aib/data/attacks.jsonl',
        isAttack: true,
        texts: (content) => lines<{ injected: string }>(content).map(({ injected }) => injected),
      },
    ],
  },
  ...COLLECTED.map(([source, set]): SourcePackage => ({
    name: 'prompt-armor',
    version: '0.9.1',
    set,
    files: [
      {
        glob: 'prompt_armor/data/attacks/known_attacks_v2.jsonl',
        isAttack: true,
        texts: (content) =>
          lines<{ text: string; source: string }>(content)
            .filter((row) => row.source === source)
            .map(({ text }) => text),
      },
    ],
  })),
];
