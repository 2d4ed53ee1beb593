import { readFileSync } from 'node:fs';
import type { Detector } from '../finding.ts';
import { judge, judgeEach, unpackModel, type Model, type Judgement } from './model.ts';
import { textDigest } from '../../clean-texts.ts';
import { RecentMap } from '../../recent-map.ts';

/** Scores texts. Name and version identify the scores. */
interface TextClassifier {
  readonly name: string;
  readonly version: number;
  /** Judges a text of at most one slice (`slices.ts`); a longer text could exceed a turn of the event loop. */
  readonly judge: (text: string) => Judgement;
}

/** About 150 bytes each. */
const MAX_JUDGEMENTS = 8_192;

/** Judges each text once, since agents resend their history. Stores only digests of texts. */
function remembering({ name, version, judge }: TextClassifier): TextClassifier {
  const judgements = new RecentMap<Judgement>(MAX_JUDGEMENTS);
  return {
    name,
    version,
    judge(text) {
      const digest = textDigest(text);
      if (digest === undefined) return judge(text);
      const known = judgements.get(digest);
      if (known !== undefined) return known;
      const judged = judge(text);
      judgements.set(digest, judged);
      return judged;
    },
  };
}

/** `safety` denies from this score on. Few innocent texts reach it (docs/accuracy-prompts.md). */
export const DENY_SCORE = 0.9;

const WEIGHTS = new URL('../../../models/injection/weights.bin', import.meta.url);
/** Spelled-out line breaks and the like. Their letter would become the first letter of the next word. */
const SPELLED_BLANK = /\\[nrt"]/g;

/** Names of tools, ids of calls and paths, which are not sentences. */
const IDENTIFIER = /^[\w./:@-]{1,128}$/;

let loaded: { readonly model: Model; readonly classifier: TextClassifier } | undefined;

/** Returns the model of prompt injections, about 600 KB. Loaded on first use. */
export function injectionClassifier(): TextClassifier {
  return injectionModel().classifier;
}

function injectionModel() {
  if (loaded !== undefined) return loaded;
  const model = unpackModel(readFileSync(WEIGHTS));
  const classifier = remembering({
    name: model.name,
    version: model.version,
    judge: (text) => judge(model, withBlanks(text)),
  });
  loaded = { model, classifier };
  return loaded;
}

function withBlanks(text: string): string {
  return text.includes('\\') ? text.replace(SPELLED_BLANK, '  ') : text;
}

/** Finds the likeliest stretch of an injection if its score reaches the threshold. */
export function learnedInjection(threshold: number): Detector {
  const { classifier } = injectionModel();
  const rule = ruleOf(classifier);
  return (text) => {
    if (IDENTIFIER.test(text)) return [];
    const { score, start, end } = classifier.judge(text);
    return score < threshold
      ? []
      : [{ detector: 'injection_learned', class: 'injection', rule, start, end, score }];
  };
}

/** Finds every stretch that reaches the threshold: removing only some would leave parts of an attack. */
export function learnedInjections(threshold: number): Detector {
  const { model } = injectionModel();
  const rule = ruleOf(model);
  return (text) =>
    IDENTIFIER.test(text)
      ? []
      : judgeEach(model, withBlanks(text), threshold).map(({ score, start, end }) => ({
          detector: 'injection_learned',
          class: 'injection',
          rule,
          start,
          end,
          score,
        }));
}

function ruleOf({ name, version }: Pick<Model, 'name' | 'version'>): string {
  return `${name}_v${String(version)}`;
}
