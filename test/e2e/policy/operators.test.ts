import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ACTIONS } from '../../../src/policy/cards/card-schema.ts';
import type { NewKey } from '../../../src/auth/key-fields.ts';
import type { TestGateway } from '../../support/gateway.ts';
import {
  CONDITIONS,
  modelOf,
  OPERATOR_CARD,
  OPERATOR_ROWS,
  OPERATOR_TOOLS,
  reasonOf,
  toolOf,
  type OperatorCase,
  type OperatorRow,
  type Step,
} from '../../support/operator-rows.ts';
import { callTool, closeConnections, MODEL_CLIENTS, type Agent } from '../../support/policy-clients.ts';
import {
  expectChat,
  expectToolCalls,
  forwarded,
  refusedModel,
  refusedTool,
  SERVERS,
} from '../../support/policy-probe.ts';
import { startPolicyRig, type PolicyRig } from '../../support/policy-rig.ts';

/** docs/cards.md: every operator and every action of a card on the wire, through common clients. */
let rig: PolicyRig;
let gateway: TestGateway;

beforeAll(async () => {
  rig = await startPolicyRig({
    files: { 'operators.yaml': OPERATOR_CARD },
    register(to) {
      const says = (text: string) => () => ({ content: [{ type: 'text' as const, text }] });
      for (const tool of OPERATOR_TOOLS) to.registerTool(tool, { description: tool }, says('done'));
      to.registerTool('t_tell', { description: 'tells' }, says('this is top secret'));
      const echo = { description: 'echoes', inputSchema: { text: z.string() } };
      to.registerTool('t_mask_echo', echo, ({ text }) => says(text)());
      to.registerTool('t_mask_say', { description: 'says' }, () => rig.server.answer);
    },
  });
  // Some rule allows, so a call that no rule allows is denied.
  gateway = await rig.start();
});
afterAll(() => rig.close());
afterEach(closeConnections);

async function newAgent(key: Partial<NewKey> = {}, sessionId = 'run'): Promise<Agent> {
  const created = await gateway.createKey({ provider: 'openai', allowedProviders: ['anthropic'], ...key });
  return { gateway, key: created, sessionId };
}

const DONE = { text: 'done' };
const [OPENAI] = MODEL_CLIENTS;
if (OPENAI === undefined) throw new Error('there is a client');

async function take(agent: Agent, step: Step): Promise<void> {
  if ('says' in step) expect(await OPENAI?.ask(agent, step.says, modelOf('plain'))).toEqual(DONE);
  else expect(await callTool(agent, step.calls)).toHaveProperty('text');
}

/** The outcome of a case for each client of the row's kind; each has its own key and session. */
async function outcomes({ on, kind }: OperatorRow, given: OperatorCase): Promise<unknown[]> {
  const { prompt = 'hello', arguments: args = {}, key, before = [] } = given;
  const calls =
    on === 'llm_call'
      ? MODEL_CLIENTS.map(
          ({ ask }) =>
            (agent: Agent) =>
              ask(agent, prompt, modelOf(kind)),
        )
      : SERVERS.map((server) => (agent: Agent) => callTool(agent, toolOf(kind), args, server));
  const all: unknown[] = [];
  for (const call of calls) {
    const agent = await newAgent(key);
    for (const step of before) await take(agent, step);
    const passed = forwarded(rig);
    const outcome = await call(agent);
    all.push({ outcome, forwarded: forwarded(rig) - passed });
  }
  return all;
}

describe('an operator', () => {
  it.each(OPERATOR_ROWS)('$kind stops its matches and nothing else, on $on', async (row) => {
    rig.provider.behave({ text: 'done' });
    const refused =
      row.on === 'llm_call'
        ? refusedModel(reasonOf(row))
        : refusedTool(toolOf(row.kind), reasonOf(row), `${row.kind} ${row.on}`);
    for (const one of await outcomes(row, row.fires)) expect(one).toEqual({ outcome: refused, forwarded: 0 });
    for (const one of await outcomes(row, row.passes)) expect(one).toEqual({ outcome: DONE, forwarded: 1 });
  });

  it('has a row on each kind of call, and so have combinations of operators', () => {
    const wanted = CONDITIONS.flatMap((kind) => ['llm_call', 'mcp_tool_call'].map((on) => `${kind} ${on}`));
    expect(OPERATOR_ROWS.map(({ kind, on }) => `${kind} ${on}`).sort()).toEqual(wanted.sort());
  });
});

const ACTS: Readonly<
  Record<(typeof ACTIONS)[number], { model: () => Promise<void>; tool: () => Promise<void> }>
> = {
  deny: {
    async model() {
      const agent = await newAgent();
      expect(await OPENAI.ask(agent, 'do it', modelOf('not'))).toEqual(
        refusedModel('not holds for llm_call'),
      );
      expect(await OPENAI.ask(agent, 'hi', modelOf('plain'))).toEqual(DONE);
    },
    async tool() {
      const agent = await newAgent();
      const refused = refusedTool(toolOf('not'), 'not holds for mcp_tool_call', 'not mcp_tool_call');
      expect(await callTool(agent, toolOf('not'), { a: 0 })).toEqual(refused);
      expect(await callTool(agent, toolOf('plain'))).toEqual(DONE);
    },
  },
  allow: {
    async model() {
      const agent = await newAgent();
      expect(await OPENAI.ask(agent, 'hi', 'gpt-4o')).toEqual(
        refusedModel('no policy allows this call: ask the operator for a rule that allows it'),
      );
      expect(await OPENAI.ask(agent, 'hi', modelOf('plain'))).toEqual(DONE);
    },
    async tool() {
      const agent = await newAgent();
      const refused = refusedTool(
        'say',
        'no policy allows this call: ask the operator for a rule that allows it',
        'default_action',
      );
      expect(await callTool(agent, 'say')).toEqual(refused);
      expect(await callTool(agent, toolOf('plain'))).toEqual(DONE);
    },
  },
  quarantine: {
    async model() {
      for (const { ask } of MODEL_CLIENTS) {
        const agent = await newAgent();
        expect(await ask(agent, 'hi', modelOf('quarantine'))).toEqual(refusedModel('it is locked'));
        const locked = { status: 403, body: { type: 'quarantined' }, thrown: 'PermissionDeniedError' };
        expect(await ask(agent, 'hi', modelOf('plain'))).toMatchObject(locked);
      }
    },
    async tool() {
      for (const server of SERVERS) {
        const agent = await newAgent();
        const refused = refusedTool(toolOf('quarantine'), 'it is locked', 'quarantine mcp_tool_call');
        expect(await callTool(agent, toolOf('quarantine'), {}, server)).toEqual(refused);
        const before = forwarded(rig);
        await expect(callTool(agent, toolOf('plain'), {}, server)).rejects.toMatchObject({ code: 403 });
        expect(await OPENAI.ask(agent, 'hi', modelOf('plain'))).toMatchObject({
          body: { type: 'quarantined' },
        });
        expect(forwarded(rig)).toBe(before);
      }
    },
  },
  // Approvals are disabled here, so none can be given.
  escalate: {
    async model() {
      const reason = 'ask somebody (approval required, but approvals are off)';
      for (const { ask } of MODEL_CLIENTS) {
        const agent = await newAgent();
        expect(await ask(agent, 'hi', modelOf('escalate'))).toEqual(refusedModel(reason));
        expect(await ask(agent, 'hi', modelOf('plain'))).toEqual(DONE);
      }
    },
    async tool() {
      const reason = 'ask somebody (approval required, but approvals are off)';
      for (const server of SERVERS) {
        const agent = await newAgent();
        const refused = refusedTool(toolOf('escalate'), reason, 'escalate mcp_tool_call');
        expect(await callTool(agent, toolOf('escalate'), {}, server)).toEqual(refused);
        expect(await callTool(agent, toolOf('plain'), {}, server)).toEqual(DONE);
      }
    },
  },
  mask: {
    async model() {
      const texts = {
        asks: 'Tell me of Falcon.',
        sent: 'Tell me of ***.',
        says: 'Falcon flies.',
        gets: '*** flies.',
      };
      await expectChat(rig.provider, await newAgent(), texts, modelOf('mask'));
    },
    async tool() {
      const texts = {
        asks: 'Tell me of Falcon.',
        sent: 'Tell me of ***.',
        says: 'Falcon flies.',
        gets: '*** flies.',
      };
      await expectToolCalls(rig, await newAgent(), texts, { echo: 't_mask_echo', say: 't_mask_say' });
    },
  },
  taint: {
    async model() {
      for (const { ask } of MODEL_CLIENTS) {
        const agent = await newAgent();
        expect(await ask(agent, 'hi', modelOf('tainted'))).toEqual(DONE);
        expect(await ask(agent, 'hi', modelOf('taint'))).toEqual(DONE);
        expect(await ask(agent, 'hi', modelOf('tainted'))).toEqual(refusedModel('the session is tainted'));
        expect(await ask({ ...agent, sessionId: 'other' }, 'hi', modelOf('tainted'))).toEqual(DONE);
      }
    },
    async tool() {
      for (const server of SERVERS) {
        const agent = await newAgent();
        const tainted = toolOf('tainted');
        expect(await callTool(agent, tainted, {}, server)).toEqual(DONE);
        expect(await callTool(agent, toolOf('taint'), {}, server)).toEqual(DONE);
        expect(await callTool(agent, tainted, {}, server)).toEqual(
          refusedTool(tainted, 'the session is tainted', 'after a taint mcp_tool_call'),
        );
        expect(await callTool({ ...agent, sessionId: 'other' }, tainted, {}, server)).toEqual(DONE);
      }
    },
  },
};

describe.each(ACTIONS)('the action %s', (action) => {
  it('is carried out on a model call', async () => {
    rig.provider.behave({ text: 'done' });
    await ACTS[action].model();
  });

  it('is carried out on a tool call', async () => {
    rig.provider.behave({ text: 'done' });
    await ACTS[action].tool();
  });
});
