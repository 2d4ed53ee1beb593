import { readFileSync } from 'node:fs';
import type { Detector } from '../finding.ts';
import { judge, judgeEach, unpackModel, type Model, type Judgement } from './model.ts';
import { textDigest } from '../../clean-texts.ts';
import { RecentMap } from '../../recent-map.ts';

/** Scores texts. `name` and `version` identify the model. */
interface TextClassifier {
  readonly name: string;
  readonly version: number;
  /** `text` must be at most one slice (`slices.ts`), because longer texts could block the event loop. */
  readonly judge: (text: string) => Judgement;
}

/** A judgement takes about 150 bytes. */
const MAX_JUDGEMENTS = 8_192;

/** Wraps a classifier to judge each text once, because agents resend their history. Stores digests, not texts. */
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

/** Default minimum score, also in the preset `safety`. Few harmless texts reach it (docs/accuracy-prompts.md). */
export const DENY_SCORE = 0.9;

const WEIGHTS = new URL('../../../models/injection/weights.bin', import.meta.url);
/** Escapes such as `\n`, whose letter would otherwise become the first letter of the next word. */
const ESCAPED_SPACE = /\\[nrt"]/g;

/** Tool names, call ids and paths, which are not sentences. */
const IDENTIFIER = /^[\w./:@-]{1,128}$/;

let loaded: { readonly model: Model; readonly classifier: TextClassifier } | undefined;

/** The model (512 KiB) is loaded on first use. */
export function injectionClassifier(): TextClassifier {
  return injectionModel().classifier;
}

function injectionModel() {
  if (loaded !== undefined) return loaded;
  const model = unpackModel(readFileSync(WEIGHTS));
  const classifier = remembering({
    name: model.name,
    version: model.version,
    judge: (text) => judge(model, withSpaces(text)),
  });
  loaded = { model, classifier };
  return loaded;
}

function withSpaces(text: string): string {
  return text.includes('\\') ? text.replace(ESCAPED_SPACE, '  ') : text;
}

/** Creates a detector for the window that is most likely an injection, if its score reaches the threshold. */
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

/**
 * Creates a detector for all windows that reach the threshold, because removing only some would leave parts of an
 * attack.
 */
export function learnedInjections(threshold: number): Detector {
  const { model } = injectionModel();
  const rule = ruleOf(model);
  return (text) =>
    IDENTIFIER.test(text)
      ? []
      : judgeEach(model, withSpaces(text), threshold).map(({ score, start, end }) => ({
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
