import type { Command } from 'commander';

/** Process resources of a command. Tests pass replacements. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Set if the command owns its process and may replace it. */
  readonly process?: NodeJS.Process;
}

export interface Call extends Io {
  readonly command: Command;
}

/** Returns a Commander action that calls `work` with the call, then the command's arguments and options. */
export function withCall<Given extends readonly unknown[]>(
  io: Io,
  work: (call: Call, ...given: Given) => Promise<void> | void,
): (...given: unknown[]) => Promise<void> | void {
  return (...given) => {
    const command = given.at(-1) as Command;
    return work({ ...io, command }, ...(given.slice(0, -1) as unknown as Given));
  };
}

/** Global flags. Read them with `program.opts<GlobalOptions>()` or `command.optsWithGlobals()`. */
export interface GlobalOptions {
  /** `--config <path>`; default: ./gateway.yaml if it exists, else the built-in defaults. */
  readonly config?: string;
  readonly verbose?: boolean;
  readonly server?: string;
  readonly tokenFile?: string;
}

/** Adds a command to the program. Each file in cli/commands exports one as `register<Name>`. */
export type Register = (program: Command, io: Io) => void;

/** Thrown for invalid usage. Printed as one line, with exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Thrown to exit with a code and print nothing more, e.g. for a negative result or with the exit code of a child. */
export class ExitCode extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${String(code)}`);
    this.name = 'ExitCode';
    this.code = code;
  }
}
