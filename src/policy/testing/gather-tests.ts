import { addAll } from '../../add-all.ts';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { PolicyFilesError } from '../policy-files-error.ts';
import {
  isPolicy,
  isPolicyTest,
  pathsIn,
  policyFilesAt,
  readPolicyFiles,
  readText,
  type PolicyFiles,
  type PolicySources,
} from '../policy-files.ts';
import type { RegoFile } from '../rego/thread-messages.ts';

export interface GatheredTests {
  readonly files: PolicyFiles;
  readonly rego: readonly RegoFile[];
  readonly cards: readonly { readonly name: string; readonly text: string }[];
}

/**
 * Reads tests and the policies that they test. A folder stands for the tests and policies in it, without subfolders.
 * Without paths, the tests of `sources` are used; if the paths contain no policies, the policies of `sources`.
 * @param isChosen whether `sources` were chosen explicitly; policies in `paths` are then ignored
 * @throws PolicyFilesError
 */
export async function gatherTests(
  paths: readonly string[],
  sources: PolicySources,
  isChosen: boolean,
): Promise<GatheredTests> {
  const found = paths.length === 0 ? await testsBeside(sources) : await gatheredAt(paths);
  const hasOwn = paths.length > 0 && !isChosen && found.policies.length > 0;
  const files = hasOwn
    ? await policyFilesAt(found.policies, { ...sources, areChosen: true })
    : await readPolicyFiles(sources);
  const tests = await Promise.all(
    [...new Set(found.tests)].map(async (name) => ({ name, text: await readText(name) })),
  );
  return {
    files,
    rego: tests.filter(({ name }) => name.endsWith('.rego')),
    cards: tests.filter(({ name }) => !name.endsWith('.rego')),
  };
}

interface Found {
  readonly tests: readonly string[];
  readonly policies: readonly string[];
}

async function testsBeside({ file, folder }: PolicySources): Promise<Found> {
  const inFolder = folder === undefined ? [] : await pathsIn(folder, isPolicyTest);
  const ofFile = file?.replace(/(\.ya?ml)$/, '_test$1');
  const isThere = ofFile !== undefined && ofFile !== file && (await pathKindOf(ofFile)) === 'file';
  return { tests: isThere ? [...inFolder, ofFile] : inFolder, policies: [] };
}

async function gatheredAt(paths: readonly string[]): Promise<Found> {
  const tests: string[] = [];
  const policies: string[] = [];
  for (const path of paths) {
    const kind = await pathKindOf(path);
    if (kind === 'folder') {
      addAll(tests, await pathsIn(path, isPolicyTest));
      addAll(policies, await pathsIn(path, isPolicy));
    } else if (kind === 'file' && isPolicyTest(basename(path))) tests.push(path);
    else if (kind === 'file' && isPolicy(basename(path))) policies.push(path);
    else
      throw new PolicyFilesError(`${path}: ${kind === 'none' ? 'does not exist, or cannot be read' : OTHER}`);
  }
  return { tests, policies: [...new Set(policies)] };
}

const OTHER = 'is neither a policy (.rego, .yaml, .yml) nor a test (_test.rego, _test.yaml, _test.yml)';

async function pathKindOf(path: string): Promise<'file' | 'folder' | 'none'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file';
  } catch {
    return 'none'; // the caller reports the error
  }
}
