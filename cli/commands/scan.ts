import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { Option, type Command } from 'commander';
import type { Scanned } from '../../src/scan/rows.ts';
import { SURFACES, type ScanSurface } from '../../src/scan/surface.ts';
import { ExitCode, type Io } from '../command.ts';
import { printableJson } from '../output.ts';
import { createProgress } from '../progress.ts';
import { loadedConfig } from '../loaded-config.ts';

interface ScanOptions {
  readonly jsonl?: true;
  readonly conversations?: true;
  readonly surface: ScanSurface;
}

const STDIN = '-';

const NOTES = `
Prints one JSON line for each text, in order; docs/scan.md explains its fields. A line that cannot be read
gives {"id", "line", "error"} in its place, and exit code 1 at the end. What is found does not change the exit code.

Examples:
  $ gateway scan < prompt.txt
  $ gateway scan --surface tool page.html
  $ gateway scan --jsonl < prompts.jsonl | jq -c 'select(.findings != []) | {id, findings}'
  $ gateway scan --conversations --config gateway.yaml conversations.jsonl
`;

/** `gateway scan`: what the detectors say of texts, for people who tune them; needs no Redis. */
export function registerScan(program: Command, io: Io): void {
  program
    .command('scan [file]')
    .description('show what the detectors find in texts, and in which turn a conversation drifts')
    .option('--jsonl', 'each line is a text of its own: {"id", "text"}')
    .addOption(
      new Option(
        '--conversations',
        'each line is a conversation: {"id", "turns": […], "replies": […]}',
      ).conflicts('surface'),
    )
    .addOption(
      new Option('--surface <surface>', 'where the texts come from').choices(SURFACES).default('prompt'),
    )
    .addHelpText('after', NOTES)
    .action((file: string | undefined, options: ScanOptions, command: Command) =>
      scan(command, io, file ?? STDIN, options),
    );
}

async function scan(command: Command, io: Io, file: string, options: ScanOptions): Promise<void> {
  // Loaded only where it is used: the other commands start faster without the detectors.
  const { scanConversations, scanText, scanTexts } = await import('../../src/offline.ts');
  const fromStdin = file === STDIN;
  if (fromStdin && io.stdin.isTTY) io.stderr.write('gateway: reading from the terminal, to its Ctrl-D\n');
  const bytes = fromStdin ? io.stdin : createReadStream(file);
  if (options.conversations) {
    const { session } = loadedConfig(command, io).config;
    await printAll(io, scanConversations(bytes, session.drift_detection));
  } else if (options.jsonl) {
    await printAll(io, scanTexts(bytes, options.surface));
  } else {
    const source = { id: file, name: fromStdin ? 'standard input' : file };
    await printAll(io, scanText(bytes, source, options.surface));
  }
}

/** Prints as fast as somebody reads, and no faster. */
async function printAll(io: Io, reports: AsyncIterable<Scanned<unknown>>): Promise<void> {
  const progress = createProgress(io, 'lines');
  let lines = 0;
  let bad = 0;
  try {
    for await (const report of reports) {
      progress.show(++lines);
      if ('bad' in report) bad++;
      const line = `${printableJson('bad' in report ? report.bad : report.found)}\n`;
      if (!io.stdout.write(line)) await once(io.stdout, 'drain');
    }
  } finally {
    progress.clear();
  }
  if (bad === 0) return;
  io.stderr.write(`gateway: ${String(bad)} of ${String(lines)} lines could not be read\n`);
  throw new ExitCode(1);
}
