import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
  COMPOSE_HEAD,
  COMPOSE_NAMES,
  composeText,
  configText,
  FILES,
  ownComposeText,
  PASSWORD_VARIABLE,
  type Answers,
} from './files.ts';

/** `create` a new file, `keep` one that needs no change, `append` a line, or `overwrite` a different file. */
export type FileAction = 'create' | 'keep' | 'append' | 'overwrite';

export interface PlannedFile {
  readonly name: string;
  readonly path: string;
  readonly action: FileAction;
  readonly text: string;
  readonly mode: number;
}

const READABLE = 0o644;
const PRIVATE = 0o600;

export async function planFiles(folder: string, answers: Answers): Promise<readonly PlannedFile[]> {
  async function wholeFile(name: string, text: string): Promise<PlannedFile> {
    const path = join(folder, name);
    const present = await readIfPresent(path);
    const action = present === undefined ? 'create' : present === text ? 'keep' : 'overwrite';
    return { name, path, action, text, mode: READABLE };
  }
  return [
    await wholeFile(FILES.config, configText(answers)),
    (await hasOtherCompose(folder))
      ? await wholeFile(FILES.ownCompose, ownComposeText(answers))
      : await wholeFile(FILES.compose, composeText(answers)),
    await planEnv(join(folder, FILES.env)),
    await planIgnore(join(folder, FILES.ignore)),
  ];
}

/** Reports whether docker compose would find a file that init has not written. */
async function hasOtherCompose(folder: string): Promise<boolean> {
  const present = await Promise.all(COMPOSE_NAMES.map((name) => readIfPresent(join(folder, name))));
  return present.some((text) => text !== undefined && !text.startsWith(COMPOSE_HEAD));
}

/** Keeps the password in `.env` out of repositories. */
async function planIgnore(path: string): Promise<PlannedFile> {
  const present = await readIfPresent(path);
  const file = { name: FILES.ignore, path, mode: READABLE };
  if (present === undefined) return { ...file, action: 'create', text: `${FILES.env}\n` };
  const lines = present.split('\n').map((line) => line.trim());
  if (IGNORED.some((line) => lines.includes(line))) return { ...file, action: 'keep', text: present };
  return { ...file, action: 'append', text: appended(present, `${FILES.env}\n`) };
}

const IGNORED = ['.env', '/.env', '.env*', '/.env*', '*.env'];

function appended(present: string, line: string): string {
  const gap = present === '' || present.endsWith('\n') ? '' : '\n';
  return present + gap + line;
}

/** Keeps an existing password, because Redis may already use it. */
async function planEnv(path: string): Promise<PlannedFile> {
  const line = `${PASSWORD_VARIABLE}=${randomBytes(32).toString('hex')}\n`;
  const present = await readIfPresent(path);
  const file = { name: FILES.env, path, mode: PRIVATE };
  if (present === undefined) return { ...file, action: 'create', text: line };
  if (setsPassword(present)) {
    return { ...file, action: 'keep', text: present };
  }
  return { ...file, action: 'append', text: appended(present, line) };
}

function setsPassword(text: string): boolean {
  const assignment = `${PASSWORD_VARIABLE}=`;
  const lines = text
    .split('\n')
    .map((line) => (line.startsWith('export ') ? line.slice('export '.length) : line));
  return lines.some((line) => line.startsWith(assignment) && line.length > assignment.length);
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`${path} exists and cannot be read: move it away or choose another --directory`, {
      cause: error,
    });
  }
}

/**
 * Writes the planned files. Replaces existing files atomically.
 * @throws Error if a file has appeared since planning, or cannot be written
 */
export async function writeFiles(folder: string, files: readonly PlannedFile[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { path, name, action, text, mode } of files) {
    if (action === 'keep') continue;
    if (action === 'create') {
      await writeFile(path, text, { flag: 'wx', mode }).catch((cause: unknown) => {
        throw new Error(`${name} was just created by another program, or cannot be written: run init again`, {
          cause,
        });
      });
      continue;
    }
    const temporary = `${path}.${randomBytes(4).toString('hex')}`;
    try {
      await writeFile(temporary, text, { flag: 'wx', mode });
      await rename(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
  }
}
