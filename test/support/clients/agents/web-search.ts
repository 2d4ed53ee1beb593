import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { ConfigInput } from '../../../../src/config/schema.ts';
import type { FakeRequest, Script } from '../../fake-provider/index.ts';
import type { InstalledClient } from '../install.ts';
import type { Agent, WebSearch } from './agent.ts';
import { followPage, startAgentsRig, type AgentsRig, type Run } from './agents-rig.ts';
import { callOf } from './tool-calls.ts';

const FOUND = 'the launch was moved to the twelfth';
const AFTER_SEARCH = 'I have searched.';
/** Named by the gateway's refusal, for operators who may allow the tool. */
const SETTING = 'proxy.provider_tools';

/** A web search that the provider runs: a refusal is shown, and with the tool allowed its results arrive. */
export function searches(agent: Agent, search: WebSearch, client: () => InstalledClient): void {
  const letIn = { proxy: { provider_tools: [search.type] }, pricing: { tools: { [search.type]: 0.08 } } };

  inGateway('whose searches are not let in', {}, (rig) => {
    it('reports why it found nothing', async () => {
      const { ran, toldToModel } = await ask(rig(), SETTING);
      expect(rig().tap.seen.filter(({ status }) => status === 403)).toHaveLength(1);
      expect(toldToModel).toBe(true);
      expect(ran.said).toContain(AFTER_SEARCH);
    });
  });

  inGateway('whose searches are let in', letIn, (rig) => {
    it('shows the provider’s results', async () => {
      const { ran, toldToModel } = await ask(rig(), FOUND);
      expect(rig().tap.seen.filter(({ status }) => status >= 400)).toEqual([]);
      expect(toldToModel).toBe(true);
      expect(ran.said).toContain(AFTER_SEARCH);
    });
  });

  /** Runs the page's search; returns whether the model reads these words in the tool's answer. */
  async function ask(rig: AgentsRig, words: string): Promise<{ ran: Run; toldToModel: boolean }> {
    rig.provider.behave((request) => answer(request, search));
    const reader = await rig.through(agent);
    const ran = await followPage(agent, client(), reader, { project: rig.project, part: 'search' });
    return { ran, toldToModel: rig.provider.requests.some(({ body }) => body.includes(words)) };
  }
}

function inGateway(title: string, config: ConfigInput, body: (rig: () => AgentsRig) => void): void {
  describe(title, () => {
    const rigs: AgentsRig[] = [];
    beforeAll(async () => {
      rigs.push(await startAgentsRig(config));
    });
    afterAll(async () => {
      await Promise.all(rigs.map((rig) => rig.close()));
    });
    body(() => rigs[0] ?? fail());
  });
}

function fail(): never {
  throw new Error('the rig is started before the first test, not before');
}

/** The provider's search finds something; the model searches once, and reports it. */
function answer(request: FakeRequest, { tool, type }: WebSearch): Script {
  if (JSON.stringify(request.json['tools'] ?? []).includes(type)) return { text: FOUND };
  if ([FOUND, SETTING].some((words) => request.body.includes(words))) return { text: AFTER_SEARCH };
  const call = callOf(request, tool, { query: 'when is the launch' });
  return call === undefined ? { text: 'there is no such tool' } : { tool: call };
}
