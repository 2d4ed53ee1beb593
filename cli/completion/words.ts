import type { Command, Option } from 'commander';

/** What can be written after the words of a command. */
export interface Place {
  /** `keys create`; empty for the program itself. */
  readonly path: string;
  readonly words: readonly Word[];
}

export interface Word {
  readonly text: string;
  /** One line without quotes, for shells that show it. */
  readonly meaning: string;
}

/** Every command with what may follow it: its subcommands, its options and their choices, and the program's. */
export function completionPlaces(program: Command): readonly Place[] {
  const general = program.options.map(optionWord);
  function visit(command: Command, path: readonly string[]): Place[] {
    const below = command.commands.filter((one) => one.name() !== 'help');
    const own =
      command === program ? [] : command.options.filter(({ hidden }) => !hidden).flatMap(optionWords);
    const commands = below.map((one) => ({ text: one.name(), meaning: shellSafe(one.description()) }));
    const words = [...commands, ...own, ...general, { text: '--help', meaning: 'show help' }];
    return [{ path: path.join(' '), words }, ...below.flatMap((one) => visit(one, [...path, one.name()]))];
  }
  return visit(program, []);
}

function optionWords(option: Option): Word[] {
  const choices = option.argChoices ?? [];
  return [optionWord(option), ...choices.map((text) => ({ text, meaning: `for ${option.long ?? ''}` }))];
}

function optionWord(option: Option): Word {
  return { text: option.long ?? option.short ?? '', meaning: shellSafe(option.description) };
}

/** What neither of the shells would take for more than a letter. */
function shellSafe(text: string): string {
  return text
    .replace(/[^\p{L}\p{N} .,;/()=-]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}
