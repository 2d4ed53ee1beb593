import type { Argument, Command, Option } from 'commander';

import { PRESET_NAMES } from '../../src/policy/presets.ts';
import { INSTRUCTION_ROLES } from '../../src/providers/instructions.ts';
import { PROVIDER_NAMES } from '../../src/providers/registry.ts';

/** Possible next words of one command. */
export interface Place {
  /** `keys create`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly OptionWord[];
  /** Values of the arguments, in order. */
  readonly args: readonly Value[];
  /** Value of all remaining arguments. */
  readonly rest: Value | undefined;
}

export interface Word {
  readonly text: string;
  /** One line without quotes, for shells that show descriptions. */
  readonly description: string;
}

export interface OptionWord extends Word {
  /** The short form, such as `-n`. */
  readonly short: string | undefined;
  /** Undefined for an option without a value. */
  readonly value: Value | undefined;
}

/** Kinds of values that the shell or the program completes; `none` for free text. */
export type ValueKind = 'files' | 'folders' | 'program' | StoredKind | 'none';
/** Values looked up in Redis or in gateway.yaml. */
export const STORED_KINDS = ['keys', 'sessions', 'escalations', 'servers'] as const;
export type StoredKind = (typeof STORED_KINDS)[number];

export type Value = ValueKind | { readonly words: readonly string[]; readonly isList: boolean };

/** Choices of options that take a comma-separated list. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  '--presets': PRESET_NAMES,
  '--allowed-providers': [...PROVIDER_NAMES, 'none'],
  '--trust': [...INSTRUCTION_ROLES, 'none'],
};

/** Value kinds by placeholder, the name between `<` and `>`. */
const KINDS: Readonly<Record<string, ValueKind>> = {
  file: 'files',
  path: 'files',
  'url or file': 'files',
  paths: 'files',
  folder: 'folders',
  command: 'program',
  key: 'keys',
  session: 'sessions',
  id: 'escalations',
  server: 'servers',
};

/** Returns every command with its subcommands, visible options and arguments, including the program's options. */
export function completionPlaces(program: Command): readonly Place[] {
  const general = program.options.map(optionWord);
  const help: OptionWord = { text: '--help', description: 'show help', short: '-h', value: undefined };
  function visit(command: Command, path: readonly string[]): Place[] {
    const below = command.commands.filter((child) => child.name() !== 'help');
    const own = command === program ? [] : command.options.filter(({ hidden }) => !hidden).map(optionWord);
    const place: Place = {
      path: path.join(' '),
      commands: below.map((child) => ({ text: child.name(), description: shellSafe(child.description()) })),
      options: [...own, ...general, help],
      args: command.registeredArguments.map(argumentValue),
      rest: restValue(command.registeredArguments.at(-1)),
    };
    return [place, ...below.flatMap((child) => visit(child, [...path, child.name()]))];
  }
  return visit(program, []);
}

function optionWord(option: Option): OptionWord {
  const text = option.long ?? option.short ?? '';
  const { short, required, optional } = option;
  const description = shellSafe(option.description);
  return { text, description, short, value: required || optional ? optionValue(option, text) : undefined };
}

function optionValue({ argChoices, flags }: Option, name: string): Value {
  const list = LISTS[name];
  if (list !== undefined) return { words: list, isList: true };
  if (argChoices !== undefined) return { words: argChoices, isList: false };
  if (name.endsWith('-dir')) return 'folders';
  return KINDS[/[<[]([^<>[\]]*)[>\]]/.exec(flags)?.[1] ?? ''] ?? 'none';
}

function argumentValue(argument: Argument): Value {
  if (argument.argChoices !== undefined) return { words: argument.argChoices, isList: false };
  return KINDS[argument.name()] ?? 'none';
}

/** Returns the value of a variadic argument. Arguments of other programs are completed as files. */
function restValue(last: Argument | undefined): Value | undefined {
  if (last?.variadic !== true) return undefined;
  const value = argumentValue(last);
  return value === 'program' ? 'files' : value;
}

/** Keeps only characters that need no escaping in a quoted shell string. Collapses white space. */
function shellSafe(text: string): string {
  return text
    .replace(/[^\p{L}\p{N} .,;/()=-]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}
