import type { Environment } from '../config/environment.ts';
import type { KnownAgent, AgentRun } from './agents.ts';
import { PROVIDER_KEY_VARIABLE, providerVariables, type Variables } from './provider-variables.ts';

export interface Prepared {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Returns the program's environment: the caller's without its keys, with the forwarder as the provider's
 * address.
 */
export function prepareRun(run: AgentRun, agent: KnownAgent | undefined, sessionId: string): Prepared {
  const wiring = agent?.wire(run) ?? {};
  const ours: Variables = {
    GATEWAY_PROXY_KEY: undefined,
    [PROVIDER_KEY_VARIABLE]: undefined,
    GATEWAY_SESSION_ID: sessionId,
    GATEWAY_EXEC_URL: run.place.url,
    GATEWAY_EXEC_KEY: run.place.key,
  };
  const env = {
    ...run.env,
    ...withoutOurCache(run.env),
    ...pastProxies(run.env),
    ...providerVariables(run.provider, run.place),
    ...wiring.env,
    ...ours,
  };
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    env: Object.fromEntries(set),
    args: [...(wiring.args ?? []), ...run.args],
    files: wiring.files ?? {},
  };
}

/** Excludes loopback from the proxies in the environment, which could not reach it. */
function pastProxies(env: Environment): Variables {
  const near = '127.0.0.1';
  return Object.fromEntries(
    ['NO_PROXY', 'no_proxy'].map((name) => {
      const written = env[name] ?? '';
      return [name, written === '' ? near : `${written},${near}`];
    }),
  );
}

/** Removes the gateway's own compile cache, which must not serve programs run by Node. */
function withoutOurCache(env: Environment): Variables {
  const cache = env['NODE_COMPILE_CACHE'] ?? '';
  return cache.endsWith('/ai-firewall-gateway/compiled') ? { NODE_COMPILE_CACHE: undefined } : {};
}
