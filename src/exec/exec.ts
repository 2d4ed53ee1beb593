import { randomUUID } from 'node:crypto';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { GatewayError } from '../errors.ts';
import type { ProviderName } from '../providers/provider.ts';
import { providers } from '../providers/registry.ts';
import type { Environment } from '../config/environment.ts';
import { cacheDirectory } from '../runtime/program.ts';
import { chooseProvider, ExecUsageError } from './choose-provider.ts';
import { prepareRun } from './environment.ts';
import { startForwarder } from './forwarder.ts';
import type { GatewayAddress } from './gateway-address.ts';
import type { ModelChoice } from './model-choice.ts';
import { findProviderKey, keyVariables } from './provider-variables.ts';
import { runChild } from './run-child.ts';
import { join } from 'node:path';
import { createRunDirectory, type RunDirectory } from '../runtime/run-directory.ts';

export interface ExecOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly models: ModelChoice;
  readonly gateway: GatewayAddress;
  readonly env: Environment;
  readonly onTerminal: boolean;
  /** Called once, before the program starts. */
  readonly onStart?: (facts: ExecFacts) => void;
}

/** The facts of a run that may be shown. */
export interface ExecFacts {
  readonly provider: ProviderName;
  readonly sessionId: string;
  readonly gateway: string;
}

const PROXY_KEY = /^gw-[A-Za-z0-9_-]{43}$/;

/**
 * Runs a program with all its model calls going through the gateway, as one session. The program never sees
 * the real keys.
 * @returns the program's exit code
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
 * Creates a private folder (0700) for an agent's settings, under the user's home if possible: some agents
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
