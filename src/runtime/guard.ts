import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

/** Kills children and removes private directories if this process dies abruptly (kill -9, out of memory). */
export interface Guard {
  watch(pid: number): void;
  unwatch(pid: number): void;
  /** Also removes this directory, after killing the children. Only for private directories created by this process. */
  watchDirectory(directory: string): void;
  /** Ends the guard, without killing or removing anything. */
  release(): void;
}

/**
 * Reads `+ PID`, `- PID`, `d DIRECTORY` and `x` (forget all) from a pipe that the kernel closes if this process dies.
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

/** Starts a shell in its own process group, which Ctrl-C does not reach. */
export function startGuard(): Guard {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // Without a shell there is no guard. An orderly shutdown does not need it.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  function send(line: string): void {
    if (shell.stdin.writable) shell.stdin.write(`${line}\n`);
  }
  return {
    watch: (pid) => {
      send(`+ ${String(pid)}`);
    },
    unwatch: (pid) => {
      send(`- ${String(pid)}`);
    },
    watchDirectory: (directory) => {
      send(`d ${directory}`);
    },
    release: () => {
      send('x');
      shell.stdin.end();
    },
  };
}
