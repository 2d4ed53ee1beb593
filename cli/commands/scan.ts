import { once } from 'node:events';
import { createReadStream } from 'node:fs';

import { Option, type Command } from 'commander';

import type { Scanned } from '../../src/scan/rows.ts';
import type { ConversationReport } from '../../src/scan/scan-conversation.ts';
import type { TextReport } from '../../src/scan/scan-text.ts';
import { SURFACES, type ScanSurface } from '../../src/scan/surface.ts';
import { ExitCode, withCall, type Call, type Io } from '../command.ts';
import { loadedConfig } from '../loaded-config.ts';
import { painter, printableJson, type OutputFormat } from '../output.ts';
import { createProgress } from '../progress.ts';
import { conversationTable, textTable } from '../scan-view.ts';

interface ScanOptions {
  readonly jsonl?: true;
  readonly conversations?: true;
  readonly surface: ScanSurface;
  readonly output?: OutputFormat;
}

const STDIN = '-';

const NOTES = `
Prints tables on a terminal, otherwise one JSON line per text or conversation (fields: docs/scan.md); --output overrides this.
Invalid lines are reported in order, with exit code 1. Findings do not change the exit code.

Examples:
  $ gateway scan < prompt.txt
  $ gateway scan --surface tool page.html
  $ gateway scan --jsonl < prompts.jsonl | jq -c 'select(.findings != []) | {id, findings}'
  $ gateway scan --conversations --config gateway.yaml conversations.jsonl
`;

/** Adds `gateway scan`, which shows detector findings for tuning. Needs no Redis. */
export function registerScan(program: Command, io: Io): void {
  program
    .command('scan')
    .argument('[file]', 'file with the text (default: - for standard input)')
    .description('show what the detectors find in text, or where a conversation drifts')
    .option('--jsonl', 'read one text per line: {"id", "text"}')
    .addOption(
      new Option(
        '--conversations',
        'read one conversation per line: {"id", "turns": […], "replies": […]}',
      ).conflicts('surface'),
    )
    .addOption(new Option('--surface <surface>', 'origin of the texts').choices(SURFACES).default('prompt'))
    .addOption(
      new Option('--output <format>', 'output format (default: table on a terminal, else json)').choices([
        'table',
        'json',
      ]),
    )
    .addHelpText('after', NOTES)
    .action(withCall(io, scan));
}

async function scan(call: Call, file = STDIN, options: ScanOptions): Promise<void> {
  // Loaded on demand, because the detectors would slow down every other command.
  const { scanConversations, scanText, scanTexts } = await import('../../src/offline.ts');
  const isStdin = file === STDIN;
  if (isStdin && call.stdin.isTTY) call.stderr.write('gateway: reading from the terminal until Ctrl-D\n');
  const isTable = (options.output ?? (call.stdout.isTTY === true ? 'table' : 'json')) === 'table';
  const paint = painter(call);
  const texts = (report: TextReport): string => (isTable ? textTable(report, paint) : printableJson(report));
  const conversations = (report: ConversationReport): string =>
    isTable ? conversationTable(report, paint) : printableJson(report);
  const bytes = isStdin ? call.stdin : createReadStream(file);
  if (options.conversations) {
    const { session } = loadedConfig(call).config;
    await printAll(call, scanConversations(bytes, session.drift_detection), conversations);
  } else if (options.jsonl) {
    await printAll(call, scanTexts(bytes, options.surface), texts);
  } else {
    const source = { id: file, name: isStdin ? 'standard input' : file };
    await printAll(call, scanText(bytes, source, options.surface), texts);
  }
}

/** Prints each report as it arrives. Pauses while the reader is slow. */
async function printAll<Found>(
  io: Io,
  reports: AsyncIterable<Scanned<Found>>,
  format: (found: Found) => string,
): Promise<void> {
  const progress = createProgress(io, 'lines');
  let lines = 0;
  let bad = 0;
  try {
    for await (const report of reports) {
      progress.show(++lines);
      if ('bad' in report) bad++;
      const line = `${'bad' in report ? printableJson(report.bad) : format(report.found)}\n`;
      if (!io.stdout.write(line)) await once(io.stdout, 'drain');
    }
  } finally {
    progress.clear();
  }
  if (bad === 0) return;
  io.stderr.write(
    `gateway: ${String(bad)} of ${String(lines)} lines could not be read; see their error fields in the output\n`,
  );
  throw new ExitCode(1);
}
