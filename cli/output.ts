import { styleText } from 'node:util';
import { Option, type Command } from 'commander';
import { replaceUnseen } from '../src/text/label.ts';
import type { Io } from './command.ts';

export type OutputFormat = 'json' | 'table';

/** As `withOutput` gives them to an action. */
export interface OutputOptions {
  readonly output: OutputFormat;
}

/** Adds `--output json|table`, which every command has that shows something. */
export function withOutput(command: Command): Command {
  return command.addOption(
    new Option('--output <format>', 'how to print the result').choices(['json', 'table']).default('table'),
  );
}

/** Says that an old spelling was used, which a later release will not know. */
export function warnOfOldFlag(io: Io, old: string, instead: string): void {
  io.stderr.write(`gateway: ${old} will go away in a later release. Use ${instead}\n`);
}

/** Prints a result: `json` is for programs and stable, `table` is for people. */
export function print(io: Io, format: OutputFormat, json: unknown, table: () => string): void {
  io.stdout.write(format === 'json' ? `${printableJson(json, 2)}\n` : `${table()}\n`);
}

/**
 * JSON in which nothing of what it holds ends a line early, hides, or moves a terminal's cursor: such characters are
 * escaped, so that the value stays the same.
 */
export function printableJson(value: unknown, indent = 0): string {
  return replaceUnseen(JSON.stringify(value, null, indent), (hidden) =>
    // JSON.stringify has escaped every line feed of a text: what is left is its own.
    hidden === '\n' ? hidden : hidden.replace(/[^]/g, unicodeEscape),
  );
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';
export type Paint = (colour: Colour, text: string) => string;

/** Colours text on a terminal, never with `NO_COLOR` (no-color.org) or where the output is read by a program. */
export function painter(io: Io, stream: { readonly isTTY?: boolean } = io.stdout): Paint {
  const coloured = stream.isTTY === true && (io.env['NO_COLOR'] ?? '') === '' && io.env['TERM'] !== 'dumb';
  return (colour, text) => (coloured ? styleText(colour, text, { validateStream: false }) : text);
}

/** Rows under a heading, columns aligned. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  paint: Paint,
): string {
  const cells = rows.map((row) => row.map(printable));
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => [...(row[column] ?? '')].length)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - [...cell].length)))
      .join('  ')
      .trimEnd();
  return [paint('bold', line(headings)), ...cells.map(line)].join('\n');
}

/** Names and values, one a line, values aligned. */
export function listing(entries: readonly (readonly [string, string])[], paint: Paint): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries
    .map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${printable(value)}`)
    .join('\n');
}

/** Stored texts may hold anything: control characters could rewrite the terminal's screen. */
export function printable(text: string): string {
  return replaceUnseen(text, () => '\uFFFD');
}
