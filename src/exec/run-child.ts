import { spawn } from 'node:child_process';
import { constants } from 'node:os';

export interface AgentChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Whether the program runs on a terminal, which sends signals to the program directly. */
  readonly onTerminal: boolean;
}

// Exit codes of shells.
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const BY_SIGNAL = 128;

const ALWAYS_PASSED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR2'];
/** Signals that a terminal sends to all foreground processes. */
const TERMINAL_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

export class StartError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number, options: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
    this.exitCode = exitCode;
  }
}

/**
 * Runs a program with inherited standard streams. Returns its exit code, or 128 plus the number of the signal that
 * ended it.
 * @throws StartError
 */
export async function runChild({ command, args, env, onTerminal }: AgentChildOptions): Promise<number> {
  const child = spawn(command, [...args], { stdio: 'inherit', env });
  const signals = [...ALWAYS_PASSED, ...TERMINAL_SIGNALS];
  function passOn(signal: NodeJS.Signals): void {
    if (!onTerminal || !TERMINAL_SIGNALS.includes(signal)) child.kill(signal);
  }
  for (const signal of signals) process.on(signal, passOn);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (cause: NodeJS.ErrnoException) => {
        reject(startError(command, cause));
      });
      child.once('exit', (code, signal) => {
        resolve(code ?? BY_SIGNAL + (signal === null ? 0 : constants.signals[signal]));
      });
    });
  } finally {
    for (const signal of signals) process.off(signal, passOn);
  }
}

function startError(command: string, cause: NodeJS.ErrnoException): StartError {
  return cause.code === 'ENOENT'
    ? new StartError(`${command}: command not found on PATH`, NOT_FOUND, { cause })
    : new StartError(`${command} cannot be run (${cause.code ?? cause.message})`, NOT_EXECUTABLE, { cause });
}
