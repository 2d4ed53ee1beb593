/**
 * `npm test`: static steps and every test, with progress on the way. The last line says how it went, alone:
 * `N passed, N failed`; the exit code is 1 if anything failed.
 */
import { runProject, runTool } from './support/vitest-run.ts';
import type { ProjectCount } from './support/vitest-run.ts';

type Count = Pick<ProjectCount, 'passed' | 'failed' | 'failures'>;

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

const started = Date.now();

const STATIC_STEPS: readonly Step[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'lint', command: ['eslint', '.', '--max-warnings', '0'] },
  { name: 'format', command: ['prettier', '--check', '--log-level', 'warn', '.'] },
  {
    name: 'import cycles and directions',
    command: ['depcruise', '--config', '.dependency-cruiser.js', 'src', 'cli', 'test'],
  },
];

const TEST_PROJECTS = ['unit', 'integration', 'e2e', 'load'];

function say(line: string): void {
  const seconds = Math.round((Date.now() - started) / 1000);
  process.stdout.write(`[${String(seconds).padStart(3)} s] ${line}\n`);
}

async function staticStep({ name, command }: Step): Promise<Count> {
  const result = await runTool(command, 'keep');
  say(`${name}: ${result.ok ? 'passed' : 'FAILED'}`);
  if (!result.ok) process.stdout.write(`${result.output}\n`);
  return result.ok ? { passed: 1, failed: 0, failures: [] } : { passed: 0, failed: 1, failures: [name] };
}

async function testProject(name: string): Promise<Count> {
  say(`${name} tests …`);
  const count = await runProject(name);
  say(`${name} tests: ${String(count.passed)} passed, ${String(count.failed)} failed`);
  return count;
}

const counts: Count[] = [];
say('static steps …');
// Two at a time: the machine that this is measured on has two cores.
for (let index = 0; index < STATIC_STEPS.length; index += 2) {
  counts.push(...(await Promise.all(STATIC_STEPS.slice(index, index + 2).map(staticStep))));
}
for (const project of TEST_PROJECTS) counts.push(await testProject(project));

const passed = counts.reduce((sum, count) => sum + count.passed, 0);
const failed = counts.reduce((sum, count) => sum + count.failed, 0);
for (const failure of counts.flatMap(({ failures }) => failures)) process.stdout.write(`FAILED ${failure}\n`);
process.stdout.write(`${String(passed)} passed, ${String(failed)} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
