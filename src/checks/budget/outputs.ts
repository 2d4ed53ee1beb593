import { naturalOutputs } from '../../pricing/natural-outputs.ts';
import type { ModelPrice } from '../../pricing/price.ts';
import type { OutputModality, RequestFacts } from '../../providers/provider.ts';

/** What beside text may be written: as asked for, and as the models do by themselves. */
export function outputsOf(
  request: RequestFacts,
  { models }: Pick<ModelPrice, 'models'>,
): readonly OutputModality[] {
  // Embeddings, reranking and the like write nothing.
  return request.output === undefined ? [] : [...(request.outputs ?? []), ...models.flatMap(naturalOutputs)];
}
