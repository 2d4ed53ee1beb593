import { naturalOutputs } from '../../pricing/natural-outputs.ts';
import type { ModelPrice } from '../../pricing/price.ts';
import type { OutputModality, RequestFacts } from '../../providers/provider.ts';

/** What beside text may be written: as asked for, and as the models do by themselves. */
export function outputsOf(
  request: RequestFacts,
  { models }: Pick<ModelPrice, 'models'>,
): readonly OutputModality[] {
  // Embeddings, reranking and the like write nothing.
  if (request.output === undefined) return [];
  return [...(request.outputs ?? []), ...[...request.models, ...models].flatMap(naturalOutputs)];
}
