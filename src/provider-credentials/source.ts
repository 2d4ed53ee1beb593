import { readFile } from 'node:fs/promises';

export interface ReadValue {
  readonly value: string;
  readonly againInMs: number;
  /** Unix ms; undefined if unknown. */
  readonly endsAt?: number | undefined;
}

export interface Source {
  /** @throws Error that names the source and the remedy, never the value or the output of a program */
  read(): Promise<ReadValue>;
}

/** A failure whose message contains no secret. */
export class SourceError extends Error {}

/** Private keys and service accounts are far smaller. */
export const MAX_SECRET_BYTES = 65_536;

/** @throws SourceError */
export async function readSecretFile(file: string): Promise<string> {
  const content = await readFile(file).catch((cause: unknown) => {
    throw new SourceError(`file ${file} cannot be read${codeOf(cause)}`);
  });
  if (content.length > MAX_SECRET_BYTES) throw new SourceError(`file ${file} is larger than 64 KiB`);
  return content.toString();
}

/** Returns an exit code, or a system error such as ENOENT, in parentheses. */
export function codeOf(failure: unknown): string {
  const code: unknown = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? ` (${String(code)})` : '';
}
