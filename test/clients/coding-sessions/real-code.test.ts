import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startAgentsRig, type AgentsRig } from '../../support/clients/agents/agents-rig.ts';
import { readingCall, writingCall } from '../../support/clients/agents/tool-calls.ts';
import { describeClient } from '../../support/clients/describe-client.ts';
import type { FakeRequest, Script } from '../../support/fake-provider/index.ts';
import { initSettings } from '../../support/init-settings.ts';
import { DONE, linesLost, resultsIn, runAll, Tally } from './rig.ts';
import { ROWS } from './rows.ts';

/** Sessions over real code: each agent reads and writes files of packages that this project depends on. */

const COPY = 'Copy each file of the folder, one after the other.';
const FILES_OF_A_SESSION = 8;
/** Agents show no more of a longer file at once. */
const MOST_BYTES = 6_000;
const MODULES = new URL('../../../node_modules/', import.meta.url);
const CODE_NAMES = [
  'package.json',
  'README.md',
  'index.d.ts',
  'index.js',
  'tsconfig.json',
  '.eslintrc',
  'LICENSE',
];

interface CodeFile {
  readonly name: string;
  readonly text: string;
}

/** Different files for each agent. */
async function codeFiles(agent: number): Promise<readonly CodeFile[]> {
  const packages = (await readdir(MODULES)).filter((name) => /^[a-z]/.test(name)).sort();
  const files: CodeFile[] = [];
  for (let at = agent; at < packages.length && files.length < FILES_OF_A_SESSION; at += ROWS.length) {
    const name = packages[at] ?? '';
    for (const file of CODE_NAMES) {
      const text = await readFile(new URL(`${name}/${file}`, MODULES), 'utf8').catch(() => '');
      const isTaken = text !== '' && text.length <= MOST_BYTES && !text.includes('\r');
      if (isTaken && files.length < FILES_OF_A_SESSION) files.push({ name: `${name}-${file}`, text });
    }
  }
  return files;
}

/** A model that reads a file and writes its copy, for each file. */
function copying(request: FakeRequest, project: string, files: readonly CodeFile[]): Script {
  const done = resultsIn(request);
  const file = request.body.includes(COPY) ? files[Math.floor(done / 2)] : undefined;
  if (file === undefined) return { text: DONE };
  const tool =
    done % 2 === 0
      ? readingCall(request, join(project, file.name))
      : writingCall(request, join(project, `copy-${file.name}`), file.text);
  return tool === undefined ? { text: DONE } : { tool: { ...tool, id: String(done) } };
}

describe('real code under the file that init writes for agents', () => {
  let rig: AgentsRig;
  const tally = new Tally();
  beforeAll(async () => {
    rig = await startAgentsRig(initSettings('agent'));
  });
  afterAll(async () => {
    tally.print();
    await rig.close();
  });

  for (const row of ROWS.filter(({ editsByText }) => editsByText !== true)) {
    describeClient(row.agent.recipe, (client) => {
      it('is read and written, and no byte of it changes', async () => {
        const files = await codeFiles(ROWS.indexOf(row));
        for (const { name, text } of files) await writeFile(join(rig.project, name), text);
        rig.provider.behave((request) => copying(request, rig.project, files));
        const sent = await runAll(row, { rig, client: client(), commands: [row.command(COPY)] });
        tally.add(rig);
        for (const { name, text } of files) {
          expect(await readFile(join(rig.project, `copy-${name}`), 'utf8'), name).toBe(text);
          expect(linesLost(text, sent), name).toEqual([]);
        }
      });
    });
  }
});
