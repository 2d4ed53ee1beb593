import type { Config } from './schema.ts';
import type { ConfigSources } from './load.ts';

/** A control that is configured here and comes with a later version. */
export interface NotBuilt {
  /** The key that switches it on. */
  readonly path: string;
  readonly isOn: (config: Config) => boolean;
  /** What is missing, for a reader. */
  readonly name: string;
}

/** Every control that this build does not have yet; a line leaves when its feature lands. */
export const NOT_BUILT: readonly NotBuilt[] = [
  { path: 'signature.enabled', isOn: (c) => c.signature.enabled, name: 'request signatures and receipts' },
];

/** Controls that somebody switched on and that would only seem to protect. */
export function notBuiltButSwitchedOn(config: Config, sources: ConfigSources): NotBuilt[] {
  return NOT_BUILT.filter((entry) => entry.isOn(config) && sources.explicitlySet(entry.path));
}
