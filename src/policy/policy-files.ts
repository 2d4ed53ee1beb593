import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CardFile } from './cards/card-set.ts';
import type { RegoFile } from './rego/thread-messages.ts';

/** The policies as they stand on disk at one moment. */
export interface PolicyFiles {
  readonly rego: readonly RegoFile[];
  readonly cards: readonly CardFile[];
  /** `sha256:` and hex, over names and texts: names the set in records. */
  readonly digest: string;
}

/** Policies that cannot be read; the message names the file and the remedy. */
export class PolicyFilesError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PolicyFilesError';
  }
}

const MAX_FILES = 1_000;
const MAX_FILE_BYTES = 1_048_576;
const MAX_BYTES = 16_777_216;
const REGO = '.rego';
const REGO_TEST = '_test.rego';

/**
 * Reads the Rego files of `folder`, without its subfolders (DECISIONS "Policy"); tests of policies are none.
 *
 * @throws PolicyFilesError where the folder or a file cannot be read, or is too large, or where there is no policy at all
 */
export async function readPolicyFiles(folder: string): Promise<PolicyFiles> {
  const names = await regoFilesOf(folder);
  if (names.length === 0) throw new PolicyFilesError(`${folder}: no .rego file is there (policy.policy_dir)`);
  const rego: RegoFile[] = [];
  let bytes = 0;
  for (const name of names) {
    const file = await readRegoFile(join(folder, name));
    bytes += file.text.length;
    if (bytes > MAX_BYTES)
      throw new PolicyFilesError(`${folder}: the policies are over ${MAX_BYTES} bytes together`);
    rego.push(file);
  }
  return { rego, cards: [], digest: digestOf(rego) };
}

/** A text that changes when a policy file comes, goes or is written; cheap to ask for again and again. */
export async function stampOf(folder: string): Promise<string> {
  const names = await regoFilesOf(folder);
  const stamps = await Promise.all(
    names.map(async (name) => {
      const { mtimeMs, size, ino } = await stat(join(folder, name));
      return `${name}:${mtimeMs}:${size}:${ino}`;
    }),
  );
  return stamps.join('\n');
}

async function regoFilesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder).catch((cause: unknown) => {
    throw new PolicyFilesError(`${folder}: the folder of policies (policy.policy_dir) cannot be read`, {
      cause,
    });
  });
  const names = entries.filter(
    (name) => name.endsWith(REGO) && !name.endsWith(REGO_TEST) && !name.startsWith('.'),
  );
  if (names.length > MAX_FILES) throw new PolicyFilesError(`${folder}: more than ${MAX_FILES} policy files`);
  return names.sort();
}

async function readRegoFile(path: string): Promise<RegoFile> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_FILE_BYTES) throw new PolicyFilesError(`${path}: is over ${MAX_FILE_BYTES} bytes`);
    return { name: path, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (cause) {
    if (cause instanceof PolicyFilesError) throw cause;
    throw new PolicyFilesError(`${path}: cannot be read as UTF-8 text`, { cause });
  }
}

function digestOf(files: readonly RegoFile[]): string {
  const hash = createHash('sha256');
  for (const { name, text } of files)
    hash.update(`${Buffer.byteLength(name)}:${name}${Buffer.byteLength(text)}:${text}`);
  return `sha256:${hash.digest('hex')}`;
}
