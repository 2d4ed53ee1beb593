import { Command, CommanderError } from 'commander';
import type * as z from 'zod';

import { ConfigError, formatProblem } from '../src/config/problems.ts';
import { messageOf } from '../src/errors.ts';
import { ExitCode, UsageError, type GlobalOptions, type Io, type Register } from './command.ts';
import { addExamples } from './examples.ts';
import type { OperatorOptions } from './operator-change.ts';
import { painter, printableLines } from './output.ts';

type Commands = Readonly<Record<string, () => Promise<Register>>>;

/** All commands, grouped as in `gateway --help`. Each is loaded only when named, or for help or completion. */
const GROUPS: Readonly<Record<string, Commands>> = {
  'Start:': {
    init: async () => (await import('./commands/init.ts')).registerInit,
    serve: async () => (await import('./commands/serve.ts')).registerServe,
    demo: async () => (await import('./commands/demo.ts')).registerDemo,
    exec: async () => (await import('./commands/exec.ts')).registerExec,
    doctor: async () => (await import('./commands/doctor.ts')).registerDoctor,
  },
  'Keys and money:': {
    keys: async () => (await import('./commands/keys.ts')).registerKeys,
    credentials: async () => (await import('./commands/credentials.ts')).registerCredentials,
    budget: async () => (await import('./commands/budget.ts')).registerBudget,
    spend: async () => (await import('./commands/spend.ts')).registerSpend,
    sessions: async () => (await import('./commands/sessions.ts')).registerSessions,
  },
  'Risk and approvals:': {
    risk: async () => (await import('./commands/risk.ts')).registerRisk,
    quarantine: async () => (await import('./commands/quarantine.ts')).registerQuarantine,
    escalations: async () => (await import('./commands/escalations.ts')).registerEscalations,
    mcp: async () => (await import('./commands/mcp.ts')).registerMcp,
  },
  'Records:': {
    audit: async () => (await import('./commands/audit.ts')).registerAudit,
    receipts: async () => (await import('./commands/receipts.ts')).registerReceipts,
  },
  'Policies and detectors, offline:': {
    policy: async () => (await import('./commands/policy.ts')).registerPolicy,
    verify: async () => (await import('./commands/verify.ts')).registerVerify,
    scan: async () => (await import('./commands/scan.ts')).registerScan,
  },
  'Configuration and setup:': {
    ui: async () => (await import('./commands/ui.ts')).registerUi,
    config: async () => (await import('./commands/config.ts')).registerConfig,
    envoy: async () => (await import('./commands/envoy.ts')).registerEnvoy,
    completion: async () => (await import('./commands/completion.ts')).registerCompletion,
  },
};

/** Commands that only other programs call; omitted from help. */
const HIDDEN: Commands = { complete: async () => (await import('./commands/complete.ts')).registerComplete };

const EXAMPLES = `
Examples:
  $ gateway init                                              write a configuration
  $ gateway serve                                             start the gateway
  $ gateway keys create --name planner --provider openai      issue a key
  $ gateway budget set planner --daily 5                      limit it to 5 USD a day
  $ gateway exec -- claude                                    run a coding agent through the gateway
  $ gateway audit tail --key planner                          see what it does

Help for one command: gateway help <command>, or gateway <command> --help
`;

/** Creates the program with the commands named in `argv`, or with all of them for help and completion. */
export async function createProgram(argv: readonly string[], io: Io): Promise<Command> {
  const program = new Command('gateway')
    .description(
      'AI firewall gateway: identifies callers, enforces budgets, and inspects LLM and MCP traffic.',
    )
    .option('--config <path>', 'configuration file (default: ./gateway.yaml if it exists)')
    .option('--server <url>', "use the API of a gateway's operator page instead of Redis")
    .option('--token-file <path>', 'file with an API token for --server')
    .option('-v, --verbose', 'show error details')
    .version(
      ownArguments(argv).includes('--version') ? await version() : '',
      '--version',
      'print the version and the commit',
    )
    .helpOption('-h, --help', 'show help')
    .addHelpText('after', EXAMPLES)
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'gateway: ')),
    })
    .exitOverride();
  program.hook('preAction', refuseOverApi);
  const hidden = HIDDEN[program.parseOptions([...argv]).operands[0] ?? ''];
  if (hidden !== undefined) {
    (await hidden())(program, io);
    return program;
  }
  const all = Object.values(GROUPS).flatMap(Object.keys);
  const named = all.filter((name) => ownArguments(argv).includes(name));
  const wanted = named.length > 0 && !named.includes('completion') ? named : all;
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    for (const [name, load] of Object.entries(commands))
      if (wanted.includes(name)) (await load())(program, io);
  }
  program.helpCommand('help [command]', 'show help for a command');
  addExamples(program);
  return program;
}

const OVER_API = ['keys', 'budget', 'spend', 'sessions', 'risk', 'quarantine', 'escalations', 'mcp', 'audit'];

/** @throws UsageError for `--server` with `--as` or an unsupported command, or `--token-file` without `--server` */
function refuseOverApi(program: Command, action: Command): void {
  const { server, tokenFile, as } = action.optsWithGlobals<GlobalOptions & OperatorOptions>();
  if (server === undefined) {
    if (tokenFile !== undefined) throw new UsageError('--token-file needs --server');
    return;
  }
  let named = action;
  while (named.parent !== null && named.parent !== program) named = named.parent;
  if (!OVER_API.includes(named.name()))
    throw new UsageError(`gateway ${named.name()} does not work through the API: run it without --server`);
  if (as !== undefined)
    throw new UsageError("--as cannot be used with --server: the audit trail records the token's name");
}

/** Returns the arguments before `--`; the rest belongs to another program (`gateway exec -- …`). */
function ownArguments(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end < 0 ? argv : argv.slice(0, end);
}

/** Called only for --version, because `versionText` runs git in a checkout. */
async function version(): Promise<string> {
  const { versionText } = await import('./version.ts');
  return versionText();
}

/** Returns the exit code: 0 for success, 1 for a failure, 2 for a usage error, or that of an `ExitCode`. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    const program = await createProgram(argv, io);
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    const own = ownArguments(argv);
    return await reportError(error, io, own.includes('--verbose') || own.includes('-v'));
  }
}

async function reportError(error: unknown, io: Io, verbose: boolean): Promise<number> {
  if (error instanceof ExitCode) return error.code;
  // Commander has already printed the error. Help and version exit with 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const label = painter(io, io.stderr)('red', 'gateway:');
  for (const line of await errorLines(error)) io.stderr.write(`${label} ${printableLines(line)}\n`);
  if (verbose && error instanceof Error && !(error instanceof UsageError)) {
    io.stderr.write(`${error.stack ?? ''}\n`);
    if (error.cause instanceof Error) io.stderr.write(`caused by ${error.cause.stack ?? ''}\n`);
  }
  return error instanceof UsageError ? 2 : 1;
}

async function errorLines(error: unknown): Promise<readonly string[]> {
  if (error instanceof ConfigError) return error.problems.map(formatProblem);
  // Imported on demand, because few commands need this large library.
  const { ZodError } = await import('zod');
  if (error instanceof ZodError) {
    return error.issues.map((issue) => `${flagOf(issue.path)}: ${brokenRule(issue)}`);
  }
  return [messageOf(error)];
}

/** Returns the flag for an invalid field, such as `--allowed-models, entry 1` for `allowedModels.0`. */
function flagOf([field = '', ...rest]: readonly PropertyKey[]): string {
  const flag = String(field)
    .replace(/InMs$/, 'In')
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const which = rest.map((part) => (typeof part === 'number' ? `entry ${String(part + 1)}` : String(part)));
  return [`--${flag}`, ...which].join(', ');
}

/** Returns the violated rule. For an invalid member name, zod nests the rule one level deeper. */
function brokenRule(issue: z.core.$ZodIssue): string {
  const [inKey] = issue.code === 'invalid_key' ? issue.issues : [];
  return inKey?.message ?? issue.message;
}
