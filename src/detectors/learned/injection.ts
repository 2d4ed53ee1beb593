import { readFileSync } from 'node:fs';
import type { Detector } from '../finding.ts';
import { remembering, type TextClassifier } from './classifier.ts';
import { judge, judgeEach, unpackModel, type Model } from './model.ts';

/** Above it fewer than one innocent text in a hundred lies (docs/accuracy-prompts.md): what `safety` denies. */
export const DENY_SCORE = 0.9;

const WEIGHTS = new URL('../../../models/injection/weights.bin', import.meta.url);
/** Line breaks and their like that are spelled out would be the first letter of the word after them. */
const SPELLED_BLANK = /\\[nrt"]/g;

/** No sentence: the name of a tool, the id of a call, a path. */
const IDENTIFIER = /^[\w./:@-]{1,128}$/;

let loaded: { readonly model: Model; readonly classifier: TextClassifier } | undefined;

/** The model of prompt injections, read when a rule first asks for it; some 600 KB. */
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
  return text.replace(SPELLED_BLANK, '  ');
}

/** Finds the stretch of a text that the model takes for an injection, where its score is at least the threshold. */
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

/** Finds every stretch that reaches the threshold: removing the likeliest alone would leave the rest of an attack. */
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
