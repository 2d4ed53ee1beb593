import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import type { Place } from './completion-places.ts';
import { zshScript } from './zsh.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Returns the script that a shell loads to complete the program's commands, options and their values. */
export function completionScript(shell: Shell, places: readonly Place[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](places);
}
