import { Argument, type Command } from 'commander';

import type { Io } from '../command.ts';
import { completionScript, SHELLS, type Shell } from '../completion/scripts.ts';
import { completionPlaces } from '../completion/completion-places.ts';

const HELP = `
Examples:
  $ source <(gateway completion bash)          # in ~/.bashrc
  $ source <(gateway completion zsh)           # in ~/.zshrc, after compinit
  $ gateway completion fish | source           # in ~/.config/fish/config.fish
`;

/** Adds `gateway completion <shell>`, which prints the shell's completion script. */
export function registerCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action((shell: Shell) => {
      io.stdout.write(completionScript(shell, completionPlaces(program)));
    });
}
