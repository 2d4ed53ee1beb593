import type { KeyRecord } from '../src/auth/key-record.ts';
import { messageOf } from '../src/errors.ts';
import { operate } from '../src/operate.ts';
import type { Operations, OperatorSettings } from '../src/operator/operations.ts';
import { operatorSettings } from '../src/operator/redis-operations.ts';
import { UsageError, type Call, type GlobalOptions } from './command.ts';
import { loadedConfig } from './loaded-config.ts';
import type { OperatorOptions } from './operator-change.ts';

/** Runs `work` on the Redis server in the configuration, or through the API of `--server`. */
export async function onGateway<T>(call: Call, work: (operations: Operations) => Promise<T>): Promise<T> {
  const { server, tokenFile, reason } = call.command.optsWithGlobals<GlobalOptions & OperatorOptions>();
  if (server === undefined) return operate(loadedConfig(call).config, work);
  const { createRemoteOperations } = await import('../src/operator/remote/operations.ts');
  return work(createRemoteOperations({ server, token: await readToken(tokenFile), reason }));
}

export function isRemote({ command }: Call): boolean {
  return command.optsWithGlobals<GlobalOptions>().server !== undefined;
}

export async function gatewaySettings(call: Call): Promise<OperatorSettings> {
  return isRemote(call)
    ? onGateway(call, ({ readSettings }) => readSettings())
    : operatorSettings(loadedConfig(call).config);
}

/** @throws UsageError whose message omits the file content */
async function readToken(path: string | undefined): Promise<string> {
  if (path === undefined)
    throw new UsageError('--server needs --token-file, a file with an API token for the operator page');
  const { readFile } = await import('node:fs/promises');
  const { isApiToken } = await import('../src/operator/sign-in/tokens.ts');
  const token = await readFile(path, 'utf8').then(
    (content) => content.trim(),
    (cause: unknown) => {
      throw new UsageError(`--token-file: ${messageOf(cause)}`);
    },
  );
  if (!isApiToken(token)) throw new UsageError(`--token-file: ${path} contains no API token`);
  return token;
}

/** @param reference key name, key hash, or the beginning of the hash */
export function onKey<Result extends object>(
  call: Call,
  reference: string,
  work: (operations: Operations, keyHash: string) => Promise<Result>,
): Promise<Result & { readonly record: KeyRecord }> {
  return onGateway(call, async (operations) => {
    const record = await operations.keys.find(reference);
    return { ...(await work(operations, record.keyHash)), record };
  });
}
