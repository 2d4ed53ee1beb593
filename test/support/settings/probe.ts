import type { Config, ConfigInput } from '../../../src/config/schema.ts';
import { defaultConfig } from '../default-config.ts';
import type { TestRedis } from '../redis.ts';
import { startTestSidecar, type TestSidecar } from './sidecar.ts';

/** Proves that one key of gateway.yaml has an effect: two configurations differ only in it, and so do the observations. */
export interface Probe {
  /** The path as written, if the key is in a map or a list: `['mcp', 'servers', '0', 'url']`. */
  readonly at?: readonly string[];
  /** The rest of gateway.yaml, the same for both. */
  readonly with?: ConfigInput;
  /** Undefined omits the key; a function gets the test's Redis. */
  readonly values: readonly [unknown, unknown];
  readonly see: See;
  readonly expected: readonly [unknown, unknown];
}

export type See = (bench: Bench) => Promise<unknown>;

/** The tools of an observation. */
export interface Bench {
  readonly config: Config;
  readonly redis: TestRedis;
  /** The sidecar with this configuration; started at the first call, and closed with the probe. */
  sidecar(): Promise<TestSidecar>;
}

export type Probes = Readonly<Record<string, Probe>>;

/** Nothing is printed, and the main listener needs no certificate. */
const QUIET: ConfigInput = {
  server: { log_level: 'error' },
  audit: { enabled: true, stdout: false },
};

/** Returns the observation of a probe's first or second configuration. */
export async function observe(leaf: string, probe: Probe, nth: 0 | 1, redis: TestRedis): Promise<unknown> {
  const path = probe.at ?? leaf.split('.');
  const base = withValue({ ...QUIET, redis: { addr: redis.addr } }, [], probe.with ?? {});
  const insecure = !leaf.startsWith('server.tls.');
  const given = probe.values[nth];
  const value: unknown =
    typeof given === 'function' ? (given as (redis: TestRedis) => unknown)(redis) : given;
  const config = defaultConfig(withValue(base, path, value), insecure ? { SERVER_INSECURE_DEV: 'true' } : {});
  let running: Promise<TestSidecar> | undefined;
  try {
    return await probe.see({
      config,
      redis,
      sidecar: () => (running ??= startTestSidecar(config, redis)),
    });
  } finally {
    await (await running?.catch(() => undefined))?.close();
  }
}

/** Returns `settings` with `value` at `path`; objects are merged, an undefined value is removed. */
function withValue(settings: unknown, path: readonly string[], value: unknown): ConfigInput {
  return merged(settings, path, value) as ConfigInput;
}

function merged(below: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name !== undefined) {
    if (Array.isArray(below)) {
      return below.map((one: unknown, nth) => (String(nth) === name ? merged(one, rest, value) : one));
    }
    const group = isGroup(below) ? below : {};
    const inner = merged(group[name], rest, value);
    if (inner !== undefined) return { ...group, [name]: inner };
    return Object.fromEntries(Object.entries(group).filter(([other]) => other !== name));
  }
  if (!isGroup(value) || !isGroup(below)) return value;
  return Object.entries(value).reduce<unknown>((all, [key, one]) => merged(all, [key], one), below);
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
