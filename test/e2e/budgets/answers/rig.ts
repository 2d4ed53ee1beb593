import { beforeAll, afterAll } from 'vitest';
import { type Budgets, startBudgets } from '../rig.ts';
import { providers } from '../../../../src/providers/registry.ts';
import { startRecorder, type Recorder } from '../../../support/recorder.ts';

/** docs/budgets.md: the cost of an answer, and what its client learns of it. */
export const STREAM = { stream: true };
export const BUDGET = { budget: { daily: 1 } };

export let budgets: Budgets;
/** With `server.strip_budget_headers`. */
export let stripping: Budgets;
/** In front of a scripted provider. */
export let scripted: Budgets;
let recorder: Recorder;
export let answer: { readonly type: string; readonly body: string; readonly status?: number };
export function answerWith(next: typeof answer): void {
  answer = next;
}

export function useRig(): void {
  beforeAll(async () => {
    recorder = await startRecorder((_request, response) =>
      response.writeHead(answer.status ?? 200, { 'content-type': answer.type }).end(answer.body),
    );
    const base_url = recorder.url;
    const upstreams = Object.fromEntries(Object.keys(providers).map((name) => [name, { base_url }]));
    budgets = await startBudgets();
    stripping = await startBudgets(
      { server: { strip_budget_headers: true }, proxy: { stored_prompts: 'allow' } },
      budgets,
    );
    scripted = await startBudgets({ providers: upstreams }, budgets);
  });
  afterAll(async () => {
    await scripted.close();
    await stripping.close();
    await budgets.close();
    await recorder.close();
  });
}
