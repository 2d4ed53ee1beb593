import { userInfo } from 'node:os';
import type { Io } from './command.ts';

/** Who gives the command, as the system knows; undefined where the user has no name, as in containers. */
export function operatorName({ env }: Io): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return env['USER'] ?? env['LOGNAME'];
  }
}
