import { styleText } from 'node:util';

import { Option, type Command } from 'commander';

import { replaceUnseen } from '../src/text/label.ts';
import type { Call, Io } from './command.ts';

export type OutputFormat = 'json' | 'table';

export interface OutputOptions {
  readonly output: OutputFormat;
}

export function withOutput(command: Command): Command {
  return command.addOption(
    new Option('--output <format>', 'output format').choices(['json', 'table']).default('table'),
  );
}

export function warnOfOldFlag(io: Io, old: string, instead: string): void {
  io.stderr.write(`gateway: ${old} is deprecated and will be removed. Use ${instead}\n`);
}

/** Prints a result: stable `json` for programs, or a `table` for people. */
export function print({ command, stdout }: Call, json: unknown, table: () => string): void {
  const { output } = command.opts<OutputOptions>();
  stdout.write(output === 'json' ? `${printableJson(json, 2)}\n` : `${table()}\n`);
}

/** Formats JSON for terminals: escapes characters that break lines, hide text or move the cursor. */
export function printableJson(value: unknown, indent = 0): string {
  return replaceUnseen(JSON.stringify(value, null, indent), (hidden) =>
    // JSON.stringify escapes line feeds inside strings; a bare line feed is indentation.
    hidden === '\n' ? hidden : hidden.replace(/[^]/g, unicodeEscape),
  );
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';
export type Paint = (colour: Colour, text: string) => string;

/** Colours text on a terminal. Respects `NO_COLOR` (no-color.org); piped output stays plain. */
export function painter(io: Io, stream: { readonly isTTY?: boolean } = io.stdout): Paint {
  const coloured = stream.isTTY === true && (io.env['NO_COLOR'] ?? '') === '' && io.env['TERM'] !== 'dumb';
  return (colour, text) => (coloured ? styleText(colour, text, { validateStream: false }) : text);
}

export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = headings.map((heading, column) =>
    widest([heading, ...cells.map((row) => row[column] ?? '')]),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - [...cell].length)))
      .join('  ')
      .trimEnd();
  return [paint('bold', line(headings)), ...cells.map(line)].join('\n');
}

export function listing(entries: readonly (readonly [string, string])[], paint: Paint): string {
  const width = widest(entries.map(([name]) => name));
  return entries
    .map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${printable(value)}`)
    .join('\n');
}

/** Returns the largest length in code points. `Math.max(...lengths)` would exceed the argument limit. */
function widest(texts: readonly string[]): number {
  let width = 0;
  for (const text of texts) width = Math.max(width, [...text].length);
  return width;
}

/** Replaces invisible and control characters, so that stored text cannot rewrite the terminal screen. */
export function printable(text: string): string {
  return replaceUnseen(text, () => '\uFFFD');
}

export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

export function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
