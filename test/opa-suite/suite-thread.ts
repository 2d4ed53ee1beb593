/** A thread that asks the gateway's policy engine one case of OPA's suite after another. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadEngine } from '../../src/policy/rego/load-engine.ts';
import type { SuiteAnswer, SuiteQuestion } from './suite-case.ts';

const EVALUATION_MS = 10_000;

const engine = await loadEngine(workerData as WebAssembly.Module);

function answer({ request, input }: SuiteQuestion): SuiteAnswer {
  const compiled = engine.compile(request);
  return compiled.startsWith('{"set"')
    ? { compiled, evaluated: engine.evaluate(input, EVALUATION_MS) }
    : { compiled };
}

parentPort?.on('message', (question: SuiteQuestion) => parentPort?.postMessage(answer(question)));
