import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from '../errors.ts';
import { PROVIDER_NAMES, providers, type ProviderName } from '../providers/registry.ts';
import type { Environment } from '../config/environment.ts';
import { cacheDirectory } from '../runtime/program.ts';
import { createRunDirectory, type RunDirectory } from '../runtime/run-directory.ts';
import { AGENT_NAMES, knownAgent, type AgentRun, type KnownAgent } from './agents.ts';
import { startForwarder } from './forwarder.ts';
import type { GatewayAddress } from './gateway-address.ts';
import type { ModelChoice } from './model-choice.ts';
import {
  basePath,
  findProviderKey,
  keyVariables,
  PROVIDER_KEY_VARIABLE,
  providerVariables,
  speakersOf,
  type Variables,
} from './provider-variables.ts';
import { runChild } from './run-child.ts';

/** A usage error. The message states the remedy. */
export class ExecUsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ExecUsageError';
  }
}

export interface ExecOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly models: ModelChoice;
  readonly gateway: GatewayAddress;
  readonly env: Environment;
  readonly onTerminal: boolean;
  readonly onStart?: (facts: ExecFacts) => void;
}

export interface ExecFacts {
  readonly provider: ProviderName;
  readonly sessionId: string;
  readonly gateway: string;
}

const PROXY_KEY = /^gw-[A-Za-z0-9_-]{43}$/;

/**
 * Runs a program as one session, and directs its model calls to the gateway. The environment of the program contains
 * neither the proxy key nor the provider key.
 * @returns the exit code of the program
 * @throws ExecUsageError | StartError
 */
export async function exec(options: ExecOptions): Promise<number> {
  const { command, args, models, gateway, env } = options;
  const { provider, agent } = chooseProvider(command, env['GATEWAY_PROVIDER']);
  const proxyKey = proxyKeyOf(env);
  const providerKey = providerKeyOf(provider, env);
  const sessionId = `exec-${randomUUID()}`;
  const folder = await createPrivateFolder(env);
  try {
    const forwarder = await startForwarder({ gateway, provider, proxyKey, providerKey, sessionId, models });
    try {
      const { place } = forwarder;
      const run = { provider, place, model: models.override, args, env, file: folder.file };
      const prepared = prepareRun(run, agent, sessionId);
      for (const [name, text] of Object.entries(prepared.files)) {
        await writeFile(folder.file(name), text, { mode: 0o600 });
      }
      options.onStart?.({ provider, sessionId, gateway: gateway.url.origin });
      return await runChild({
        command,
        args: prepared.args,
        env: prepared.env,
        onTerminal: options.onTerminal,
      });
    } finally {
      await forwarder.close();
    }
  } finally {
    await folder.remove();
  }
}

function proxyKeyOf(env: Environment): string {
  const key = env['GATEWAY_PROXY_KEY'] ?? '';
  if (key === '') {
    throw new ExecUsageError(
      'set GATEWAY_PROXY_KEY to a proxy key (gateway keys create --name … --provider …)',
    );
  }
  if (!PROXY_KEY.test(key)) throw new ExecUsageError('GATEWAY_PROXY_KEY is not a proxy key (gw-…)');
  return key;
}

function providerKeyOf(provider: ProviderName, env: Environment): string | undefined {
  const key = findProviderKey(provider, env);
  if (key === undefined) {
    if (!providers[provider].needsKey) return undefined;
    throw new ExecUsageError(`set the key of ${provider}: ${keyVariables(provider).join(', ')}`);
  }
  try {
    providers[provider].credential(key);
  } catch (cause) {
    if (cause instanceof GatewayError) throw new ExecUsageError(`the key of ${provider}: ${cause.message}`);
    throw cause;
  }
  return key;
}

/**
 * Creates a private folder (0700) for an agent's settings, under the user's home if possible, because some agents
 * ignore settings in folders that others can write to, such as the temporary folder.
 */
async function createPrivateFolder(environment: Environment): Promise<RunDirectory> {
  let path: string;
  try {
    path = await mkdtemp(join(await cacheDirectory(environment), 'exec-'));
  } catch {
    return createRunDirectory(environment);
  }
  return {
    path,
    file: (name) => join(path, name),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

interface Prepared {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Returns the program's environment, arguments and files. The environment is the caller's without the proxy key and
 * the run's provider key, with the forwarder's URL as the provider's.
 */
export function prepareRun(run: AgentRun, agent: KnownAgent | undefined, sessionId: string): Prepared {
  const wiring = agent?.wire(run) ?? {};
  const own: Variables = {
    GATEWAY_PROXY_KEY: undefined,
    [PROVIDER_KEY_VARIABLE]: undefined,
    GATEWAY_SESSION_ID: sessionId,
    GATEWAY_EXEC_URL: run.place.url,
    GATEWAY_EXEC_KEY: run.place.key,
  };
  const env = {
    ...run.env,
    ...withoutOwnCache(run.env),
    ...noProxyVariables(run.env),
    ...providerVariables(run.provider, run.place),
    ...wiring.env,
    ...own,
  };
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    env: Object.fromEntries(set),
    args: [...(wiring.args ?? []), ...run.args],
    files: wiring.files ?? {},
  };
}

/** Excludes the forwarder's address from HTTP proxies, which could not reach it. */
function noProxyVariables(env: Environment): Variables {
  const loopback = '127.0.0.1';
  return Object.fromEntries(
    ['NO_PROXY', 'no_proxy'].map((name) => {
      const value = env[name] ?? '';
      return [name, value === '' ? loopback : `${value},${loopback}`];
    }),
  );
}

/** Unsets the gateway's compile cache, which other Node programs must not use. */
function withoutOwnCache(env: Environment): Variables {
  const cache = env['NODE_COMPILE_CACHE'] ?? '';
  return cache.endsWith('/ai-firewall-gateway/compiled') ? { NODE_COMPILE_CACHE: undefined } : {};
}

export interface ChosenProvider {
  readonly provider: ProviderName;
  /** Undefined for an unknown program. */
  readonly agent: KnownAgent | undefined;
}

/**
 * Returns the provider in `GATEWAY_PROVIDER`, or the program's default.
 * @throws ExecUsageError with the possible values
 */
export function chooseProvider(command: string, wanted: string | undefined): ChosenProvider {
  const agent = knownAgent(command);
  const provider = wanted === undefined || wanted === '' ? agent?.provider : knownProvider(wanted);
  if (provider === undefined) {
    throw new ExecUsageError(
      `set GATEWAY_PROVIDER for ${command}: one of ${PROVIDER_NAMES.join(', ')} ` +
        `(not needed for these commands: ${AGENT_NAMES.join(', ')})`,
    );
  }
  if (agent?.speaks !== undefined && basePath(agent.speaks, provider) === undefined) {
    throw new ExecUsageError(
      `GATEWAY_PROVIDER: ${command} cannot use ${provider}; use one of ${speakersOf(agent.speaks).join(', ')}`,
    );
  }
  return { provider, agent };
}

function knownProvider(text: string): ProviderName {
  const provider = PROVIDER_NAMES.find((name) => name === text);
  if (provider === undefined)
    throw new ExecUsageError(`GATEWAY_PROVIDER must be one of ${PROVIDER_NAMES.join(', ')}`);
  return provider;
}
