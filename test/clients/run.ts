/**
 * `npm run clients [-- <part of a file's name> …] [-- -t <part of a test's name>] [--allow-missing]`: other makers'
 * clients, as users install them, through a real gateway. Clients that this machine cannot run are named at the end, and
 * fail the run unless `--allow-missing` is given.
 */
import { NOT_RUN } from '../support/clients/not-run.ts';
import { ALLOW_MISSING } from '../support/clients/global-setup.ts';
import { runProjects } from '../support/vitest-run.ts';

const FLAG = '--allow-missing';
const args = process.argv.slice(2);
const allowMissing = args.includes(FLAG);

const { passed, failed, failures, leftOut } = await runProjects(
  ['clients'],
  args.filter((arg) => arg !== FLAG),
  { [ALLOW_MISSING]: String(allowMissing) },
);
// Tests excluded by a filter were excluded on purpose.
const notRun = leftOut.filter((name) => name.includes(NOT_RUN));
for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
for (const name of notRun) process.stdout.write(`${name}\n`);
process.stdout.write(
  `${String(passed)} passed, ${String(failed)} failed, ${String(notRun.length)} not run\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
