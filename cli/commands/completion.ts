import { Argument, type Command } from 'commander';

import type { Io } from '../command.ts';
import { bashScript } from '../completion/bash.ts';
import { completionPlaces, type Place } from '../completion/completion-places.ts';
import { fishScript } from '../completion/fish.ts';
import { zshScript } from '../completion/zsh.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const HELP = `
Examples:
  $ source <(gateway completion bash)          # in ~/.bashrc
  $ source <(gateway completion zsh)           # in ~/.zshrc, after compinit
  $ gateway completion fish | source           # in ~/.config/fish/config.fish
`;

export function registerCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      io.stdout.write(completionScript(shell, completionPlaces(program)));
    });
}

function completionScript(shell: Shell, places: readonly Place[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](places);
}
