import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * Ends children and removes private directories when this process dies without a word (kill -9, out of memory):
 * an Envoy or a Redis that nobody supervises any more must not linger.
 */
export interface Guard {
  /** From now on, `pid` is killed if this process dies. */
  watch(pid: number): void;
  unwatch(pid: number): void;
  /** From now on, `directory` is removed if this process dies. Must be a private one that we made. */
  watchDirectory(directory: string): void;
  /** Ends the guard without touching what it watched. */
  release(): void;
}

/**
 * Reads `+ PID`, `- PID`, `d DIRECTORY`, `x` (forget all) from a pipe. The pipe's end is this process's death,
 * however it came about: the kernel closes it for us.
 */
const SCRIPT = `
pids=; dirs=
while IFS=' ' read -r op arg; do
  case $op in
    +) pids="$pids $arg" ;;
    -) left=; for p in $pids; do [ "$p" = "$arg" ] || left="$left $p"; done; pids=$left ;;
    d) dirs="$dirs
$arg" ;;
    x) exit 0 ;;
  esac
done
for p in $pids; do kill -KILL "$p" 2>/dev/null; done
sleep 1
printf '%s\\n' "$dirs" | while IFS= read -r d; do [ -z "$d" ] || rm -rf -- "$d"; done
`;

/** Starts the guard: one small shell, in a process group of its own so that Ctrl-C does not reach it. */
export function startGuard(): Guard {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // Without a shell there is no guard; an orderly end does not need one.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  // It watches over an end; it must not put one off.
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  function say(line: string): void {
    if (shell.stdin.writable) shell.stdin.write(`${line}\n`);
  }
  return {
    watch: (pid) => {
      say(`+ ${String(pid)}`);
    },
    unwatch: (pid) => {
      say(`- ${String(pid)}`);
    },
    watchDirectory: (directory) => {
      say(`d ${directory}`);
    },
    release: () => {
      say('x');
      shell.stdin.end();
    },
  };
}
