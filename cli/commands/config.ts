import { Option, type Command } from 'commander';
import { stringify } from 'yaml';

import type { ConfigSources } from '../../src/config/load.ts';
import { preflightProblems } from '../../src/config/preflight.ts';
import { explainConfig, maskConfig, serializeConfig } from '../../src/config/print.ts';
import { ConfigError, formatProblem, type Problem } from '../../src/config/problems.ts';
import { configJsonSchema, type Config, type ConfigInput } from '../../src/config/schema.ts';
import { policySources } from '../../src/policy/policy-files.ts';
import { providers } from '../../src/providers/registry.ts';
import { ExitCode, withCall, type Call, type Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';
import { painter, print, withOutput, type OutputOptions } from '../output.ts';
import { runningGateway } from '../running-gateway.ts';

export function registerConfig(program: Command, io: Io): void {
  const config = program.command('config').description('show and check the configuration');
  config
    .command('print')
    .description('print the effective configuration, with defaults filled in and secrets masked')
    .addOption(new Option('--output <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .addOption(
      new Option('--explain', 'print YAML with the description of each key above it').conflicts('output'),
    )
    .action(withCall(io, printConfig));
  config
    .command('schema')
    .description('print the JSON Schema of gateway.yaml, for editors')
    .action(() => {
      io.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
    });
  withOutput(
    config
      .command('check')
      .description('check the configuration, and whether `serve` would accept it')
      .option('--running', 'also check that the gateway on this machine uses it'),
  ).action(withCall(io, checkConfig));
}

type CheckOptions = OutputOptions & { readonly running?: boolean };

interface PrintOptions {
  readonly output: 'yaml' | 'json';
  readonly explain?: boolean;
}

function printConfig(call: Call, { output, explain }: PrintOptions): void {
  const input = withBaseUrls(serializeConfig(maskConfig(loadedConfig(call).config)));
  if (explain === true) call.stdout.write(explainConfig(input));
  else call.stdout.write(output === 'json' ? `${JSON.stringify(input, null, 2)}\n` : stringify(input));
}

/** Adds the provider's public URL, if any, where `base_url` is not set. */
function withBaseUrls(input: ConfigInput): ConfigInput {
  const filled = Object.values(providers).map(({ name, defaultBaseUrl }) => {
    const base = defaultBaseUrl === undefined ? {} : { base_url: defaultBaseUrl };
    return [name, { ...base, ...input.providers?.[name] }];
  });
  return { ...input, providers: Object.fromEntries(filled) };
}

async function checkConfig(call: Call, { running }: CheckOptions): Promise<void> {
  const { file, config, problems } = await readProblems(call);
  const gateway = running === true && config !== undefined ? await runningGateway(config) : undefined;
  const inForce = gateway && { ok: gateway.isRunning && gateway.status === 'ok', message: gateway.message };
  const paint = painter(call);
  const mark = (isGood: boolean): string => (isGood ? paint('green', '✓') : paint('red', '✗'));
  const json = { valid: problems.length === 0, file: file ?? null, problems };
  print(call, inForce === undefined ? json : { ...json, running: inForce }, () =>
    [
      ...(problems.length === 0
        ? [paint('green', `${file ?? 'The default configuration'} is valid.`)]
        : problems.map((problem) => `${mark(false)} ${formatProblem(problem)}`)),
      ...(inForce === undefined
        ? []
        : [`${mark(inForce.ok)} The gateway on this machine: ${inForce.message}`]),
    ].join('\n'),
  );
  if (problems.length > 0 || inForce?.ok === false) throw new ExitCode(1);
}

interface ReadConfig {
  readonly file: string | undefined;
  /** Undefined if the configuration is invalid or cannot be read. */
  readonly config: Config | undefined;
  readonly problems: readonly Problem[];
}

async function readProblems(call: Call): Promise<ReadConfig> {
  try {
    const { config, sources } = loadedConfig(call);
    return {
      file: sources.file,
      config,
      problems: [...preflightProblems(config, sources), ...(await overrideProblems(config, sources))],
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { file: undefined, config: undefined, problems: error.problems };
  }
}

/** Returns a problem for each override that matches no rule of a card or preset. */
async function overrideProblems({ policy }: Config, sources: ConfigSources): Promise<Problem[]> {
  if (!policy.enabled || Object.keys(policy.overrides).length === 0) return [];
  const { unknownOverrides } = await import('../../src/offline-policy.ts');
  const problems = await unknownOverrides(policySources(policy), policy.overrides);
  return problems.map((message) => ({
    where: sources.locate(['policy', 'overrides']),
    path: 'policy.overrides',
    message,
  }));
}
