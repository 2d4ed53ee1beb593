import { resolve } from 'node:path';

import { Option, type Command } from 'commander';

import { PURPOSES, type Answers, type Purpose } from '../../src/init/files.ts';
import type { FileAction, PlannedFile } from '../../src/init/plan.ts';
import { ExitCode, UsageError, type Io } from '../command.ts';
import type * as Questions from '../init-questions.ts';
import { painter, printable } from '../output.ts';

interface InitFlags {
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly for?: Purpose;
  readonly directory: string;
}

const HELP = `
Writes gateway.yaml (DLP and the safety preset on), docker-compose.yml for Redis, its password into .env, and .env into
.gitignore. If the folder has another project's compose file, init writes docker-compose.gateway.yml.

  --for chat   (default) a chat application: personal data is masked, and a secret in an answer locks the key
  --for agent  a coding agent: secrets are masked in both directions, files are otherwise unchanged, and nothing locks the key

Existing files are not overwritten without --force: init asks, or with --yes refuses.

Examples:
  $ gateway init
  $ gateway init --yes --directory ./gateway
  $ gateway init --yes --for agent
`;

const ACTIONS: Readonly<Record<FileAction, string>> = {
  create: 'new',
  keep: 'unchanged',
  append: 'a line is added',
  overwrite: 'exists, and would be overwritten',
};

/** Adds `gateway init`, which writes the first files (docs/serving.md). */
export function registerInit(program: Command, io: Io): void {
  program
    .command('init')
    .description('write gateway.yaml and a compose file for Redis')
    .option('-y, --yes', 'ask no questions, use the defaults')
    .addOption(new Option('--for <purpose>', 'application that the gateway protects').choices(PURPOSES))
    .option('--force', 'overwrite existing files')
    .option('--directory <folder>', 'folder to write to', '.')
    .addHelpText('after', HELP)
    .action((flags: InitFlags) => init(flags, io));
}

async function init(flags: InitFlags, io: Io): Promise<void> {
  const asks = flags.yes !== true;
  if (asks && !(io.stdin.isTTY && io.stdout.isTTY === true)) {
    throw new UsageError('init needs a terminal to ask questions; --yes uses the defaults');
  }
  const { DEFAULT_ANSWERS, defaultAnswers, nextCommands } = await import('../../src/init/files.ts');
  const { planFiles, writeFiles } = await import('../../src/init/plan.ts');
  try {
    const answers: Answers = asks
      ? await (await questions()).askAnswers(io, flags.for)
      : defaultAnswers(flags.for ?? DEFAULT_ANSWERS.purpose);
    const folder = resolve(flags.directory);
    const files = await planFiles(folder, answers);
    io.stdout.write(`${planText(folder, files, io)}\n`);
    await permit(files, flags, io, asks);
    await writeFiles(folder, files);
    const place = { program: programName(io), directory: flags.directory, compose: composeName(files) };
    io.stdout.write(
      `\nNext:\n${nextCommands(answers, place)
        .map((line) => `  ${line}\n`)
        .join('')}`,
    );
  } catch (error) {
    if (!(error instanceof (await questions()).Cancelled)) throw error;
    io.stderr.write('gateway: nothing was written\n');
    throw new ExitCode(1);
  }
}

function questions(): Promise<typeof Questions> {
  return import('../init-questions.ts');
}

async function permit(
  files: readonly PlannedFile[],
  { force }: InitFlags,
  io: Io,
  asks: boolean,
): Promise<void> {
  const existing = files.filter(({ action }) => action === 'overwrite').map(({ name }) => name);
  if (!asks) {
    if (existing.length === 0 || force === true) return;
    io.stderr.write(
      `gateway: nothing was written: ${existing.join(', ')} would be overwritten; use --force, or another --directory\n`,
    );
    throw new ExitCode(1);
  }
  const { askWhether, Cancelled } = await questions();
  const isFree = existing.length === 0 || force === true;
  const question = isFree ? 'Write these files?' : `Overwrite ${existing.join(', ')}?`;
  if (!(await askWhether(io, question, isFree))) throw new Cancelled();
}

function planText(folder: string, files: readonly PlannedFile[], io: Io): string {
  const paint = painter(io);
  const lines = files.map(
    ({ name, action }) => `  ${name.padEnd('docker-compose.gateway.yml'.length)}  ${ACTIONS[action]}`,
  );
  return [paint('bold', `In ${printable(folder)}:`), ...lines].join('\n');
}

function composeName(files: readonly PlannedFile[]): string {
  return files.find(({ name }) => name.startsWith('docker-compose'))?.name ?? 'docker-compose.yml';
}

/** Returns the command that started this program, for suggested commands. */
function programName({ env, process: own }: Io): string {
  if (env['npm_lifecycle_event'] === 'gateway') {
    return 'npm run -s gateway --';
  }
  const file = own?.argv[1] ?? '';
  // `npx gateway` would be unsafe, because outside this folder that name may be another package.
  if (file.endsWith('.ts') || file.includes('/_npx/')) return `node ${file}`;
  return env['npm_command'] === 'exec' ? 'npx gateway' : 'gateway';
}
