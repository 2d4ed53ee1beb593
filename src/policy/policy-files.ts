import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CardFile } from './cards/card-set.ts';
import { PolicyFilesError } from './policy-files-error.ts';
import { FALLBACK_PRESET, presetFiles, type PresetName } from './presets.ts';
import type { RuleOverrides } from './rule-modes.ts';
import type { RegoFile } from './rego/thread-messages.ts';

/** Policy sources. Missing files are skipped, so callers must check that they exist. */
export interface PolicySources {
  /** `policy.policy_file`, a card. */
  readonly file: string | undefined;
  /** `policy.policy_dir`: Rego files and cards. */
  readonly folder: string | undefined;
  readonly presets: readonly PresetName[];
  readonly overrides?: RuleOverrides | undefined;
  /** Whether these sources replace those of the configuration, whose rules the overrides may still name. */
  readonly areChosen?: boolean;
}

interface PolicySettings extends Required<Pick<PolicySources, 'presets'>> {
  readonly policy_file: string;
  readonly policy_dir: string;
  readonly overrides: RuleOverrides;
}

export function policySources({
  policy_file,
  policy_dir,
  presets,
  overrides,
}: PolicySettings): PolicySources {
  return { file: policy_file, folder: policy_dir, presets, overrides };
}

export interface PolicyFiles {
  readonly rego: readonly RegoFile[];
  readonly cards: readonly CardFile[];
  readonly overrides: RuleOverrides;
  /** Whether overrides may name rules that are not loaded. */
  readonly overridesMayMiss: boolean;
  /** `sha256:<hex>` over names, texts and overrides; identifies the set in records. */
  readonly digest: string;
}

const MAX_FILES = 1_000;
const MAX_FILE_BYTES = 1_048_576;
const MAX_BYTES = 16_777_216;
const REGO = /\.rego$/;
const REGO_TEST = /_test\.rego$/;
const CARD = /\.ya?ml$/;
const CARD_TEST = /_test\.ya?ml$/;

/**
 * Reads a card, the Rego files and cards of a folder without its subfolders, and presets, but no policy tests
 * (`_test`). Defaults to the `safety` preset (docs/policies.md).
 * @throws PolicyFilesError if a file cannot be read or is too large
 */
export async function readPolicyFiles(sources: PolicySources): Promise<PolicyFiles> {
  return policyFilesAt(await pathsOf(sources), sources);
}

export async function policyFilesAt(
  paths: readonly string[],
  { presets, overrides = {}, areChosen = false }: Omit<PolicySources, 'file' | 'folder'>,
): Promise<PolicyFiles> {
  const rego: RegoFile[] = [];
  const cards: CardFile[] = [];
  for (const name of paths) {
    const text = await readText(name);
    if (REGO.test(name)) rego.push({ name, text });
    else cards.push({ name, text, isPreset: false });
  }
  const isAnyThere = rego.length + cards.length + presets.length > 0;
  for (const { name, path } of presetFiles(isAnyThere ? presets : [FALLBACK_PRESET])) {
    // Named without its path, which means nothing to readers of audit records.
    cards.push({ name: `preset ${name}`, text: await readText(path), isPreset: true });
  }
  const bytes = [...rego, ...cards].reduce((sum, { text }) => sum + text.length, 0);
  if (bytes > MAX_BYTES)
    throw new PolicyFilesError(`the policies together exceed ${String(MAX_BYTES)} bytes`);
  const names = Object.keys(overrides).sort();
  const written = names.map((name) => ({ name: `policy.overrides ${name}`, text: overrides[name] ?? '' }));
  return {
    rego,
    cards,
    overrides,
    overridesMayMiss: areChosen,
    digest: filesDigest([...rego, ...cards, ...written]),
  };
}

/** Returns a fingerprint that changes whenever a policy file is added, removed or written. Reads no file contents. */
export async function stampOf(sources: PolicySources): Promise<string> {
  const stamps = await Promise.all(
    (await pathsOf(sources)).map(async (path) => {
      const { mtimeMs, size, ino } = await stat(path);
      return `${path}:${String(mtimeMs)}:${String(size)}:${String(ino)}`;
    }),
  );
  return stamps.join('\n');
}

async function pathsOf({ file, folder }: PolicySources): Promise<string[]> {
  const inFolder = folder === undefined ? [] : await pathsIn(folder, isPolicy);
  return [...(file !== undefined && (await isThere(file)) ? [file] : []), ...inFolder];
}

/** Returns the accepted files in a folder, sorted, or an empty list if the folder does not exist. */
export async function pathsIn(folder: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const paths = (await fileNamesIn(folder)).filter(isWanted).map((name) => join(folder, name));
  if (paths.length > MAX_FILES)
    throw new PolicyFilesError(`${folder}: more than ${String(MAX_FILES)} policy files`);
  return paths.sort();
}

export function isPolicyTest(name: string): boolean {
  return !name.startsWith('.') && (REGO_TEST.test(name) || CARD_TEST.test(name));
}

export function isPolicy(name: string): boolean {
  if (name.startsWith('.')) return false;
  return (REGO.test(name) && !REGO_TEST.test(name)) || (CARD.test(name) && !CARD_TEST.test(name));
}

async function fileNamesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw new PolicyFilesError(`${folder}: the policy folder (policy.policy_dir) cannot be read`, {
      cause,
    });
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (cause) {
    if (isMissing(cause)) return false;
    throw new PolicyFilesError(`${path}: the card (policy.policy_file) cannot be read`, { cause });
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}

/** @throws PolicyFilesError */
export async function readText(path: string): Promise<string> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_FILE_BYTES)
      throw new PolicyFilesError(`${path}: exceeds ${String(MAX_FILE_BYTES)} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    if (cause instanceof PolicyFilesError) throw cause;
    throw new PolicyFilesError(`${path}: cannot be read as UTF-8 text`, { cause });
  }
}

function filesDigest(files: readonly { readonly name: string; readonly text: string }[]): string {
  const hash = createHash('sha256');
  for (const { name, text } of files) {
    hash.update(`${String(Buffer.byteLength(name))}:${name}${String(Buffer.byteLength(text))}:${text}`);
  }
  return `sha256:${hash.digest('hex')}`;
}
