import type { Command } from 'commander';

import { DEFAULT_CONFIG_PATH } from '../../src/config/default-path.ts';
import type { Config } from '../../src/config/schema.ts';
import type { GatewayAddress } from '../../src/exec/gateway-address.ts';
import { ExitCode, UsageError, withCall, type Call, type GlobalOptions, type Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';
import { painter } from '../output.ts';

interface ExecFlags {
  readonly modelOverride?: string;
  readonly modelMap?: ReadonlyMap<string, string>;
  readonly gatewayUrl?: string;
  readonly caFile?: string;
}

const HELP = `
Starts the command with a local base URL and a key that works only for this run. Its requests go through the gateway
with GATEWAY_PROXY_KEY, the provider's key and a new session. The command never sees these two keys.

Environment:
  GATEWAY_PROXY_KEY     the proxy key (required)
  OPENAI_API_KEY, …     the provider's own key, in its usual variable; or GATEWAY_PROVIDER_KEY
  GATEWAY_PROVIDER      the provider; required for a command that exec does not know
  GATEWAY_URL           the gateway's URL; required without ${DEFAULT_CONFIG_PATH}
  GATEWAY_CA_FILE       PEM certificates to trust in addition to the system's

Examples:
  $ gateway exec -- claude
  $ gateway exec --model-override gpt-4o-mini -- codex exec 'What does notes.txt say?'
  $ gateway exec --model-map fast=gpt-4o-mini,smart=gpt-4o -- aider --model openai/smart
  $ GATEWAY_PROVIDER=openai gateway exec --gateway-url https://gateway.example -- python agent.py
`;

/** Adds `gateway exec … -- <command> [args]`, which runs an agent through the gateway (docs/exec.md). */
export function registerExec(program: Command, io: Io): void {
  program
    .command('exec')
    .usage('[options] -- <command> [args]')
    .description('run a command with its model calls routed through the gateway')
    .argument('<command...>', 'command and its arguments, after --')
    .option('--model-override <model>', 'send every request to this model')
    .option('--model-map <alias=target,...>', 'replace model names', modelMap)
    .option('--gateway-url <url>', 'URL of the gateway')
    .option('--ca-file <file>', "PEM certificates to trust in addition to the system's")
    .showHelpAfterError("(put the command's own options after --, as in: gateway exec -- claude --version)")
    .addHelpText('after', HELP)
    .action(withCall(io, runCommand));
}

async function runCommand(
  given: Call,
  [name = '', ...args]: readonly string[],
  flags: ExecFlags,
): Promise<never> {
  const { verbose } = given.command.optsWithGlobals<GlobalOptions>();
  // Loaded on demand, because the providers would slow down every other command.
  const { exec, ExecUsageError } = await import('../../src/exec/exec.ts');
  const { StartError } = await import('../../src/exec/run-child.ts');
  const { keysOutOfEnvironment } = await import('../../src/exec/hand-over.ts');
  const call =
    given.process === undefined ? given : { ...given, env: await keysOutOfEnvironment(given.process) };
  try {
    const code = await exec({
      command: name,
      args,
      models: { override: modelName(flags.modelOverride), aliases: flags.modelMap ?? new Map() },
      gateway: await addressFor(flags, call),
      env: call.env,
      onTerminal: [call.stdin, call.stdout, call.stderr].some((stream) => stream.isTTY === true),
      onStart: ({ provider, sessionId, gateway }) => {
        if (verbose === true) {
          call.stderr.write(`gateway: ${provider} through ${gateway}, session ${sessionId}\n`);
        }
      },
    });
    throw new ExitCode(code);
  } catch (error) {
    if (error instanceof ExecUsageError) throw new UsageError(error.message);
    if (!(error instanceof StartError)) throw error;
    call.stderr.write(`${painter(call, call.stderr)('red', 'gateway:')} ${error.message}\n`);
    throw new ExitCode(error.exitCode);
  }
}

async function addressFor(flags: ExecFlags, call: Call): Promise<GatewayAddress> {
  const { addressOf, configuredAddress } = await import('../../src/exec/gateway-address.ts');
  const url = flags.gatewayUrl ?? nonEmpty(call.env['GATEWAY_URL']);
  const caFile = flags.caFile ?? nonEmpty(call.env['GATEWAY_CA_FILE']);
  if (url === undefined) return configuredAddress(configured(call), caFile);
  return addressOf(url, { caFile, insecure: call.env['SERVER_INSECURE_DEV'] === 'true' });
}

/** Refuses the default address, where another program could listen and receive the keys. */
function configured(call: Call): Config {
  const { config, sources } = loadedConfig(call);
  if (sources.file !== undefined) return config;
  throw new UsageError(
    `no gateway URL is set, and there is no ${DEFAULT_CONFIG_PATH} here. Use --gateway-url https://gateway.example (or GATEWAY_URL), or --config <path>; gateway init writes a configuration`,
  );
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

const MAX_MODEL_CHARS = 256;

function modelName(model: string | undefined): string | undefined {
  if (model === undefined) return undefined;
  if (model === '' || model.length > MAX_MODEL_CHARS) {
    throw new UsageError(
      `--model-override must be a model name of at most ${String(MAX_MODEL_CHARS)} characters`,
    );
  }
  return model;
}

/** Parses `alias=target,alias=target`. */
function modelMap(listed: string): ReadonlyMap<string, string> {
  const pairs = listed.split(',').map((pair) => {
    const [alias = '', ...rest] = pair.split('=');
    const target = rest.join('=').trim();
    if (alias.trim() === '' || target === '' || target.length > MAX_MODEL_CHARS) {
      throw new UsageError('--model-map must be pairs of names such as fast=gpt-4o-mini,smart=gpt-4o');
    }
    return [alias.trim(), target] as const;
  });
  return new Map(pairs);
}
