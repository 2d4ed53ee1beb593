import type { Config } from '../config/schema.ts';

/** Name of the Envoy listener and cluster for single attempts. */
export const ATTEMPTS_CLUSTER = 'attempts';

export function hasFallbacks({ models }: Pick<Config, 'models'>): boolean {
  return Object.values(models).some(
    (targets) => targets.length > 1 && targets.some(({ on }) => on.length > 0),
  );
}
