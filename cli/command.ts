import type { Command } from 'commander';

/** What a command may touch of the process: given by main.ts, so that a command can be run elsewhere too. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Present where the command owns its process and may replace it. */
  readonly process?: NodeJS.Process;
}

/** The global flags, as every command sees them with `program.opts<GlobalOptions>()` or `command.optsWithGlobals()`. */
export interface GlobalOptions {
  /** `--config <path>`; undefined: ./gateway.yaml if it is there, else the defaults. */
  readonly config?: string;
  readonly verbose?: boolean;
}

/** Each file of cli/commands exports one of these, `register<Name>`; main.ts calls them all. */
export type Register = (program: Command, io: Io) => void;

/** A mistake in how the command was called: one clear line, exit code 2. Any other error exits with 1. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** The command did its work and its answer is "no" (`config check`, `doctor`): exit code 1, nothing more to print. */
export class ExitCode extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${String(code)}`);
    this.name = 'ExitCode';
    this.code = code;
  }
}
