import type { Command } from 'commander';

/** Process resources that a command may use. Passed in by main.ts, so that tests can run commands too. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The command owns its process and may replace it. */
  readonly process?: NodeJS.Process;
}

/** Global flags. Read them with `program.opts<GlobalOptions>()` or `command.optsWithGlobals()`. */
export interface GlobalOptions {
  /** `--config <path>`; undefined: ./gateway.yaml if it exists, else the defaults. */
  readonly config?: string;
  readonly verbose?: boolean;
  /** `--server <url>`: the operator's API instead of Redis. */
  readonly server?: string;
  /** `--token-file <path>`: the API token for `server`. */
  readonly tokenFile?: string;
}

/** Adds a command to the program. Each file of cli/commands exports one as `register<Name>`. */
export type Register = (program: Command, io: Io) => void;

/** Wrong usage, printed as one line with exit code 2. Other errors exit with 1. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** A negative result (`config check`, `doctor`). Exits silently with the code. */
export class ExitCode extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${String(code)}`);
    this.name = 'ExitCode';
    this.code = code;
  }
}
