import { FEATURES_VERSION } from '../../src/detectors/learned/features.ts';
import type { Model } from '../../src/detectors/learned/model.ts';

/** Returns the file of a model, for `unpackModel`. */
export function packModel({ weights, ...head }: Model): Buffer {
  const line = JSON.stringify({ ...head, features: FEATURES_VERSION, count: weights.length });
  return Buffer.concat([
    Buffer.from(`${line}\n`),
    Buffer.from(weights.buffer, weights.byteOffset, weights.length),
  ]);
}
