import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startAgentsRig, type AgentsRig } from '../../support/clients/agents/agents-rig.ts';
import { commandCall, readingCall, writingCall } from '../../support/clients/agents/tool-calls.ts';
import { describeClient } from '../../support/clients/describe-client.ts';
import { CODING_SESSIONS } from '../../support/coding-tasks/sessions.ts';
import type { CodingSession, CodingTask, Step } from '../../support/coding-tasks/task.ts';
import type { FakeRequest, Script } from '../../support/fake-provider/index.ts';
import { initSettings } from '../../support/init-settings.ts';
import { DONE, linesLost, resultsIn, runAll, Tally } from './rig.ts';
import { ROWS, type Row } from './rows.ts';

/** Long sessions: five tasks one after another, with files, commands and answers as developers have them. */

/** Five runs of an agent, each of which may take long on a busy machine. */
const SESSION_WITHIN_MS = 900_000;

/** One task after another, or all at once if the agent cannot continue a session. */
function asked({ tasks }: CodingSession, { again }: Row): readonly CodingTask[] {
  if (again !== undefined) return tasks;
  return [
    {
      ask: tasks.map(({ ask }) => ask).join(' '),
      steps: tasks.flatMap(({ steps }) => steps),
      say: tasks.map(({ say }) => say).join('\n'),
    },
  ];
}

function callFor(request: FakeRequest, project: string, step: Step) {
  if ('read' in step) return readingCall(request, join(project, step.read));
  if ('write' in step) return writingCall(request, join(project, step.write), step.text);
  return commandCall(request, step.run);
}

/** A model that takes the steps of the last task that it reads; extra requests, for a title for example, get a text. */
function working(request: FakeRequest, project: string, tasks: readonly CodingTask[]): Script {
  const body = request.body.toString();
  const inJson = ({ ask }: CodingTask) => JSON.stringify(ask).slice(1, -1);
  const task = tasks.findLast((one) => body.includes(inJson(one)));
  if (task === undefined) return { text: DONE };
  // Claude Code repeats the task after its results, and keeps all of them.
  const before = tasks.slice(0, tasks.indexOf(task)).reduce((sum, { steps }) => sum + steps.length, 0);
  const isClaude = request.path.startsWith('/v1/messages');
  const done = isClaude ? resultsIn(request) - before : resultsIn(request, inJson(task));
  const step = task.steps[done];
  const call = step === undefined ? undefined : callFor(request, project, step);
  if (call === undefined) return { text: `${task.say}\n${DONE}` };
  return { tool: { ...call, id: `call_${String(resultsIn(request))}` } };
}

/** The final files, by name. */
function written({ tasks }: CodingSession): ReadonlyMap<string, string> {
  const steps = tasks.flatMap(({ steps }) => steps);
  return new Map(steps.flatMap((step) => ('write' in step ? [[step.write, step.text] as const] : [])));
}

describe.each(CODING_SESSIONS)('$title, under the file that init writes for agents', (session) => {
  let rig: AgentsRig;
  const tally = new Tally();
  beforeAll(async () => {
    rig = await startAgentsRig(initSettings('agent'));
  });
  afterAll(async () => {
    tally.print();
    await rig.close();
  });

  async function layOut(): Promise<void> {
    for (const name of written(session).keys()) await rm(join(rig.project, name), { force: true });
    for (const [name, text] of Object.entries(session.files)) {
      await mkdir(dirname(join(rig.project, name)), { recursive: true });
      await writeFile(join(rig.project, name), text);
    }
  }

  for (const row of ROWS.filter(({ editsByText }) => editsByText !== true)) {
    describeClient(row.agent.recipe, (client) => {
      it(
        'continues to its end, and no byte changes',
        async () => {
          await layOut();
          const tasks = asked(session, row);
          rig.provider.behave((request) => working(request, rig.project, tasks));
          const ask = (wish: string, index: number) =>
            (index === 0 ? row.command : (row.again ?? row.command))(wish);
          const commands = tasks.map((task, index) => ask(task.ask, index));
          const sent = await runAll(row, { rig, client: client(), commands });
          tally.add(rig);
          for (const [name, text] of written(session))
            expect(await readFile(join(rig.project, name), 'utf8'), name).toBe(text);
          for (const [name, text] of Object.entries(session.files))
            expect(linesLost(text, sent), name).toEqual([]);
          const steps = tasks.reduce((sum, task) => sum + task.steps.length, 0);
          expect(sent.length).toBeGreaterThanOrEqual(steps + tasks.length);
        },
        SESSION_WITHIN_MS,
      );
    });
  }
});
