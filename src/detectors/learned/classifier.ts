import { textDigest } from '../../clean-texts.ts';
import { RecentMap } from '../../recent-map.ts';
import type { Judgement } from './model.ts';

/** Gives texts a score that has a name and a version, by which it can be told from another one's. */
export interface TextClassifier {
  readonly name: string;
  readonly version: number;
  /** Judges a text of up to a slice (`slices.ts`): a longer one takes longer than a turn may. */
  readonly judge: (text: string) => Judgement;
}

/** Of a gateway's traffic; some 150 bytes each. */
const MAX_JUDGEMENTS = 8_192;

/** Judges no text twice: agents send their history again with every turn. Texts are known by their digest alone. */
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
