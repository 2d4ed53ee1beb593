import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { engineModule } from '../../src/policy/rego/engine-thread.ts';
import { suiteFolder } from './opa-module.ts';
import { differenceOf, questionOf, readCases, type SuiteAnswer, type SuiteCase } from './suite-case.ts';

/**
 * `npm run opa-suite [-- --cases REGEX] [--folder FOLDER]` runs OPA's own cases, for both versions of the language, on
 * the engine that the gateway ships. OPA's module comes from Go or, if Go is not installed, from Go's proxy;
 * `--folder` names another folder with the cases (`v0` and `v1`). Exits with 1 if fewer than 99.5 % of the
 * cases of a version have the expected result.
 */
const LANGUAGES = ['v0', 'v1'] as const;
const MIN_SHARE = 0.995;
const THREADS = 2;
const MAX_CASE_MS = 30_000;
const MAX_RUN_MS = 900_000;
const PROGRESS_EVERY = 250;

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '.' }, folder: { type: 'string' } },
});
const started = Date.now();

/** Asks the engine one case at a time. A missing answer ends the engine's thread, and the next case gets a new one. */
function openThread(module: WebAssembly.Module) {
  let worker: Worker | undefined;
  let waiting: PromiseWithResolvers<SuiteAnswer> | undefined;
  const broke = (): void => waiting?.reject(new Error('the engine broke off'));
  const started = (): Worker =>
    new Worker(join(import.meta.dirname, 'suite-thread.ts'), { workerData: module })
      .on('message', (answer: SuiteAnswer) => waiting?.resolve(answer))
      .on('error', broke)
      .on('exit', broke);
  async function end(): Promise<void> {
    const ending = worker;
    worker = undefined;
    await ending?.terminate();
  }
  async function ask(one: SuiteCase): Promise<SuiteAnswer> {
    const answer = (waiting = Promise.withResolvers<SuiteAnswer>());
    const late = setTimeout(() => answer.reject(new Error('the engine does not answer')), MAX_CASE_MS);
    try {
      (worker ??= started()).postMessage(questionOf(one));
      return await answer.promise;
    } catch (cause) {
      await end();
      throw cause;
    } finally {
      clearTimeout(late);
    }
  }
  return { ask, end };
}

/** Reasons of failed cases, by name. */
async function runCases(name: string, cases: readonly SuiteCase[]): Promise<Map<string, string>> {
  const failed = new Map<string, string>();
  const module = await engineModule();
  let next = 0;
  async function work(): Promise<void> {
    const thread = openThread(module);
    for (let one = cases[next++]; one !== undefined; one = cases[next++]) {
      if (Date.now() - started > MAX_RUN_MS) throw new Error(`the suite takes over ${MAX_RUN_MS} ms`);
      const difference = await thread.ask(one).then(
        (answer) => differenceOf(one, answer),
        (cause: unknown) => String(cause),
      );
      if (difference !== undefined) failed.set(one.note, difference);
      if (next % PROGRESS_EVERY === 0) process.stderr.write(`${name}: ${next} of ${cases.length}\n`);
    }
    await thread.end();
  }
  await Promise.all(Array.from({ length: THREADS }, work));
  return failed;
}

async function main(): Promise<void> {
  const folder = values.folder ?? (await suiteFolder());
  const wanted = new RegExp(values.cases, 'u');
  for (const language of LANGUAGES) {
    const cases = readCases(join(folder, language)).filter(({ note }) => wanted.test(note));
    const failed = await runCases(language, cases);
    for (const [name, how] of failed)
      process.stdout.write(`FAILED ${language} ${name}: ${how.slice(0, 500)}\n`);
    const share = (cases.length - failed.size) / cases.length;
    process.stdout.write(
      `${language}: ${cases.length - failed.size} of ${cases.length} cases (${(share * 100).toFixed(2)} %)\n`,
    );
    if (!(share >= MIN_SHARE)) process.exitCode = 1;
  }
  process.stdout.write(`${Math.round((Date.now() - started) / 1_000)} s\n`);
}

await main();
