import type { JsonEdit } from '../../json/path.ts';
import { DEFAULT_MAX_IMAGE_TOKENS, isSound } from '../../pricing/media-bound.ts';
import type { ModelPrice } from '../../pricing/price.ts';
import type { RequestFacts } from '../../providers/provider.ts';

/** The edits that have a router refuse hosts that are dearer than what was reserved at. */
export function capPrice(
  { capPrice: edits, media }: RequestFacts,
  { listed, requestNanoUsd, worstInputAudioNanoUsd }: ModelPrice,
): readonly JsonEdit[] {
  if (edits === undefined || listed === undefined) return [];
  const { inputNanoUsd, outputNanoUsd } = listed;
  const imageUsd = (DEFAULT_MAX_IMAGE_TOKENS * inputNanoUsd) / 1e9;
  const audioNanoUsd = media.some(isSound) ? worstInputAudioNanoUsd : undefined;
  return edits({
    inputUsdPerMillion: inputNanoUsd / 1_000,
    outputUsdPerMillion: outputNanoUsd / 1_000,
    requestUsd: requestNanoUsd / 1e9,
    ...(media.some(({ kind }) => kind === 'image') && { imageUsd }),
    ...(audioNanoUsd !== undefined && { audioUsdPerMillion: audioNanoUsd / 1_000 }),
  });
}
