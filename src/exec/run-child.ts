import { spawn } from 'node:child_process';
import { constants } from 'node:os';

export interface AgentChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A terminal sends its signals to the program itself, which must not get them twice. */
  readonly onTerminal: boolean;
}

/** As shells say it. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const BY_SIGNAL = 128;

/** Sent to the program, whoever sends them to us. */
const PASSED_ON: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR2'];
/** Sent by the keys of a terminal to everything in the foreground. */
const OF_TERMINALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/** A program that could not be started. */
export class StartError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number, options: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
    this.exitCode = exitCode;
  }
}

/**
 * Runs a program on our own terminal, input and outputs until it ends, and gives back its exit code; 128 and the
 * signal's number where one ended it.
 * @throws StartError
 */
export async function runChild({ command, args, env, onTerminal }: AgentChildOptions): Promise<number> {
  const child = spawn(command, [...args], { stdio: 'inherit', env });
  const signals = [...PASSED_ON, ...OF_TERMINALS];
  function passOn(signal: NodeJS.Signals): void {
    if (!onTerminal || !OF_TERMINALS.includes(signal)) child.kill(signal);
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
    ? new StartError(`${command}: there is no such command on PATH`, NOT_FOUND, { cause })
    : new StartError(`${command} cannot be run (${cause.code ?? cause.message})`, NOT_EXECUTABLE, { cause });
}
