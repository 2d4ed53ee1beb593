import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What licences ask for: the notices of every package that files of are in the bundle, by name. */
export function thirdPartyNotices(files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []));
  const notices = [...folders].map(noticeOf).toSorted();
  return `This program contains the following packages.\n\n${[...new Set(notices)].join('\n')}`;
}

/** `/…/node_modules/@scope/name` of a file in it. */
function packageFolder(file: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string;
  };
  if (license === undefined)
    throw new Error(`${name} does not say its licence: look for it before it is bundled`);
  const texts = globSync('{LICENSE,LICENCE,NOTICE,COPYING,license,licence}{,.*}', { cwd: folder })
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${'-'.repeat(72)}\n${name} ${version}, ${license}\n`, ...texts, ''].join('\n');
}
