import { textDigest } from '../../clean-texts.ts';
import { RecentMap } from '../../recent-map.ts';
import type { Judgement } from './model.ts';

/** Scores texts. Name and version identify the scores. */
export interface TextClassifier {
  readonly name: string;
  readonly version: number;
  /** Judges a text of at most one slice (`slices.ts`); a longer text could exceed a turn of the event loop. */
  readonly judge: (text: string) => Judgement;
}

/** About 150 bytes each. */
const MAX_JUDGEMENTS = 8_192;

/** Judges each text once, since agents resend their history. Stores only digests of texts. */
export function remembering({ name, version, judge }: TextClassifier): TextClassifier {
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
