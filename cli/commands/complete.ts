import { Argument, type Command } from 'commander';

import type { Config } from '../../src/config/schema.ts';
import type { Operations } from '../../src/operator/operations.ts';
import type { GlobalOptions, Io } from '../command.ts';
import { STORED_KINDS, type StoredKind } from '../completion/completion-places.ts';
import { keptValues, type Candidate } from '../completion/kept-values.ts';

/** Deadline for Redis calls, while a user is waiting at the prompt. */
const WITHIN_MS = 2_000;
const MAX_CANDIDATES = 200;

/**
 * Adds `gateway complete <kind>`, which completion scripts call on Tab. Prints one value and its description per line,
 * or nothing if Redis or the configuration cannot be read.
 */
export function registerComplete(program: Command, io: Io): void {
  program
    .command('complete', { hidden: true })
    .description('print values for the completion scripts')
    .addArgument(new Argument('<kind>', 'kind of values').choices(STORED_KINDS))
    .argument('[prefix]', 'beginning of the values', '')
    .argument('[key]', 'key of the sessions', '')
    .action(async (kind: StoredKind, prefix: string, key: string, _options: object, command: Command) => {
      // Scripts pass an empty path without --config.
      const path = command.optsWithGlobals<GlobalOptions>().config || undefined;
      const scope = { kind, prefix, key: kind === 'sessions' ? key : '', path };
      const candidates = await keptValues(io.env, scope, () => lookUp(io, path, scope));
      for (const [value, description] of candidates.slice(0, MAX_CANDIDATES))
        io.stdout.write(`${value}\t${description}\n`);
    });
}

interface Scope {
  readonly kind: StoredKind;
  readonly prefix: string;
  readonly key: string;
}

/** Returns undefined on any failure, because errors would disturb the line being typed. */
async function lookUp(
  io: Io,
  path: string | undefined,
  scope: Scope,
): Promise<readonly Candidate[] | undefined> {
  try {
    const { loadConfig } = await import('../../src/config/load.ts');
    const { config } = loadConfig({ path, env: io.env });
    if (scope.kind === 'servers')
      return config.mcp.servers.map(({ name, url }): Candidate => [name, url]).filter(fits(scope.prefix));
    const { operate } = await import('../../src/operate.ts');
    const found = await within(operate(impatient(config), (operations) => stored(operations, scope)));
    return found?.filter(fits(scope.prefix));
  } catch {
    return undefined;
  }
}

function within<T>(work: Promise<T>): Promise<T | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, WITHIN_MS, undefined).unref());
  return Promise.race([work, late]);
}

/** Makes Redis commands fail immediately instead of retrying. */
function impatient(config: Config): Config {
  const redis = { ...config.redis, max_retries: 0, dial_timeout: WITHIN_MS, read_timeout: WITHIN_MS };
  return { ...config, redis } as Config;
}

async function stored(
  { keys, sessions, escalations }: Operations,
  { kind, prefix, key }: Scope,
): Promise<readonly Candidate[]> {
  if (kind === 'keys') {
    const names = await keys.names(prefix, { count: MAX_CANDIDATES, withinMs: WITHIN_MS / 2 });
    return names.map(({ name, keyHash }) => [name, keyHash.slice(0, 'sha256:'.length + 12)]);
  }
  if (kind === 'sessions') {
    const { keyHash } = await keys.find(key);
    return (await sessions.list(keyHash)).map(({ id, steps }) => [id, `steps: ${String(steps)}`]);
  }
  return (await escalations.list()).map(({ id, tool_name, key_name }) => [
    id,
    `${key_name} ${tool_name ?? ''}`,
  ]);
}

/** Matches values that begin with the typed text and contain no control, format or unassigned characters. */
function fits(prefix: string): (candidate: Candidate) => boolean {
  return ([value]) => value.startsWith(prefix) && !/[\p{C}]/u.test(value);
}
