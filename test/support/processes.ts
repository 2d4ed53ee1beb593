import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  /** The command line, arguments joined by blanks; empty for a zombie. */
  readonly command: string;
}

/** Every process of this machine (Linux). */
export function allProcesses(): ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // The name in parentheses may contain blanks: count from the last one.
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [{ pid: Number(name), parent, command }];
      } catch {
        return []; // it ended while we looked
      }
    });
}

/** The processes that `pid` started, and their children. */
export function descendants(pid: number): ProcessInfo[] {
  const all = allProcesses();
  const of = (parent: number): ProcessInfo[] =>
    all.filter((one) => one.parent === parent).flatMap((one) => [one, ...of(one.pid)]);
  return of(pid);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
