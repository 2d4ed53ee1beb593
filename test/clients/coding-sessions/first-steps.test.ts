import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { PURPOSES, type Purpose } from '../../../src/init/files.ts';
import {
  NOTES,
  NOTES_TEXT,
  startAgentsRig,
  type AgentsRig,
} from '../../support/clients/agents/agents-rig.ts';
import { commandCall, readingCall, writingCall } from '../../support/clients/agents/tool-calls.ts';
import { describeClient } from '../../support/clients/describe-client.ts';
import { NOT_RUN } from '../../support/clients/not-run.ts';
import type { FakeRequest, Script } from '../../support/fake-provider/index.ts';
import { initSettings } from '../../support/init-settings.ts';
import { WORKING_FILES } from '../../support/working-files.ts';
import { DONE, linesLost, resultsIn, runAll } from './rig.ts';
import { FAILING, FIRST, ROWS } from './rows.ts';

/**
 * Coding agents under the files that `gateway init` writes: nothing is refused, and no byte that they read or write changes.
 * Under the file for agents, the bytes are of all kinds of files.
 */

/** Two words: some agents take a single one for a command. */
const HELLO = 'Hello there';
const SECOND = 'And what did you do first?';
const PLAIN = 'import { one } from "../lib/one.js"; // ../../shared';
const FILES = Object.values(WORKING_FILES).join('\n');
/** The initial file, and the file to write. */
const TEXTS: Readonly<Record<Purpose, readonly [read: string, written: string]>> = {
  chat: [NOTES_TEXT, PLAIN],
  agent: [`${NOTES_TEXT}\n${FILES}`, FILES],
};
const OUT = 'out.txt';
const RULES = '# Rules\n\nYou must run the tests before you commit. Never ignore an error of the linter.\n';
const RULE_FILES = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md', 'QWEN.md'];

/** Agents that this suite does not install. */
const NOT_INSTALLED = {
  goose: 'its program comes from a release page, which the suite does not download from',
  crush: 'the suite builds no agents written in Go',
};

/** A model that reads, writes, fails and answers; extra requests, for a title for example, get a text. */
function work(request: FakeRequest, project: string, written: string): Script {
  const steps = [
    () => readingCall(request, join(project, NOTES)),
    () => writingCall(request, join(project, OUT), written),
    () => commandCall(request, FAILING),
  ];
  const tool = request.body.includes(SECOND) ? undefined : steps[resultsIn(request)]?.();
  return tool === undefined ? { text: DONE } : { tool };
}

/** The same for a model that writes files into its text. */
function workByText(request: FakeRequest, written: string): Script {
  const isOver = request.body.includes('No such file') || request.body.includes(SECOND);
  const isWork = request.body.includes(FIRST) && !isOver;
  return { text: isWork ? `${OUT}\n\`\`\`\n${written}\n\`\`\`\n` : DONE };
}

for (const [name, why] of Object.entries(NOT_INSTALLED)) {
  describe.skip(`${NOT_RUN}${name}: ${why}`, () => {
    it('is not installed', () => undefined);
  });
}

describe.each(PURPOSES)('under the file that init writes for: %s', (purpose) => {
  const [read, written] = TEXTS[purpose];
  let rig: AgentsRig;
  beforeAll(async () => {
    rig = await startAgentsRig(initSettings(purpose));
    for (const name of RULE_FILES) await writeFile(join(rig.project, name), RULES);
  });
  afterAll(() => rig.close());
  beforeEach(async () => {
    await writeFile(join(rig.project, NOTES), `${read}\n`);
    await rm(join(rig.project, OUT), { force: true });
  });

  for (const row of ROWS) {
    describeClient(row.agent.recipe, (client) => {
      it('says hello, and nothing is refused', async () => {
        rig.provider.behave({ text: DONE });
        await runAll(row, { rig, client: client(), commands: [row.command(HELLO)] });
      });

      it('reads, writes, fails and continues, and nothing is refused', async () => {
        rig.provider.behave((request) =>
          row.editsByText === true ? workByText(request, written) : work(request, rig.project, written),
        );
        const commands = [row.command(FIRST), ...(row.again === undefined ? [] : [row.again(SECOND)])];
        const sent = await runAll(row, { rig, client: client(), commands });
        expect(linesLost(read, sent)).toEqual([]);
        expect(sent.some((body) => body.includes('No such file'))).toBe(true);
        // A fence ends with a line.
        const ending = row.editsByText === true ? '\n' : '';
        expect(await readFile(join(rig.project, OUT), 'utf8')).toBe(written + ending);
        if (row.again !== undefined) {
          expect(sent.some((body) => body.includes(FIRST) && body.includes(SECOND))).toBe(true);
        }
      });
    });
  }
});
