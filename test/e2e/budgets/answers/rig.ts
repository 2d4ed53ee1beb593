import { type Server, createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { beforeAll, afterAll } from 'vitest';
import { type Budgets, startBudgets } from '../rig.ts';
import { providers } from '../../../../src/providers/registry.ts';

/** docs/budgets.md: the cost of an answer, and what its client learns of it. */
export const STREAM = { stream: true };
export const BUDGET = { budget: { daily: 1 } };

export let budgets: Budgets;
/** With `server.strip_budget_headers`. */
export let stripping: Budgets;
/** In front of a scripted provider. */
export let scripted: Budgets;
let server: Server;
export let answer: { readonly type: string; readonly body: string; readonly status?: number };
export function answerWith(next: typeof answer): void {
  answer = next;
}

export function useRig(): void {
  beforeAll(async () => {
    server = createServer((request, response) => {
      request
        .resume()
        .on('end', () =>
          response.writeHead(answer.status ?? 200, { 'content-type': answer.type }).end(answer.body),
        );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base_url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
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
    server.close();
  });
}
