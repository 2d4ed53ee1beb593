import { describe, expect, it } from 'vitest';
import { billingInHeaders, createBillingReader } from '../../../src/providers/billing-details.ts';

function told(...documents: readonly unknown[]) {
  const reader = createBillingReader();
  for (const document of documents) reader.add(document);
  const { toolCalls, ...bill } = reader.bill;
  return { ...bill, toolCalls: Object.fromEntries(toolCalls) };
}

const NOTHING = {
  models: [],
  tiers: [],
  speeds: [],
  geos: [],
  toolCalls: {},
  ranTools: false,
  absurdTokens: 0,
};
const call = (type: string) => ({ type });
const done = (type: string) => ({ type: 'response.output_item.done', item: { type } });

describe('the billing details of an answer', () => {
  it.each([
    undefined,
    null,
    7,
    'text',
    [],
    {},
    { usage: null, choices: 'x', output: {}, model: 7, service_tier: {} },
  ])('are empty in %j', (document) => {
    expect(told(document)).toEqual(NOTHING);
  });

  it('are read from every dialect and event', () => {
    const inner = { model: 'm', service_tier: 't', usage: { speed: 's', inference_geo: 'g' } };
    const all = { ...NOTHING, models: ['m'], tiers: ['t'], speeds: ['s'], geos: ['g'] };
    for (const wrap of ['response', 'message', 'metadata', 'x_groq']) {
      expect(told({ [wrap]: inner })).toEqual(all);
    }
    expect(told(inner, inner)).toEqual(all);
    expect(told({ modelVersion: 'm', usageMetadata: { trafficType: 't', serviceTier: 'u' } })).toMatchObject({
      models: ['m'],
      tiers: ['u', 't'],
    });
    expect(told({ serviceTier: { type: 't' }, performanceConfig: { latency: 's' } })).toMatchObject({
      tiers: ['t'],
      speeds: ['s'],
    });
  });

  it('count each call once, however it is reported', () => {
    const output = [call('web_search_call'), call('web_search_call'), call('code_interpreter_call')];
    const usage = { server_side_tool_usage_details: { web_search_calls: 2 } };
    const events = output.map(({ type }) => done(type));
    expect(
      told(...events, { response: { output, usage } }, { response: { output, usage } }).toolCalls,
    ).toEqual({
      web_search: 2,
      code_interpreter: 1,
    });
  });

  it.each([
    [
      'the start of a tool call at Anthropic',
      { type: 'content_block_start', content_block: { type: 'server_tool_use' } },
    ],
    [
      'the start of an MCP server’s call',
      { type: 'content_block_start', content_block: { type: 'mcp_tool_use' } },
    ],
    [
      'the start of a tool call at OpenAI',
      { type: 'response.output_item.added', item: call('web_search_call') },
    ],
    ['a finished call that is counted', done('web_search_call')],
  ])('tell that a tool of the provider ran: %s', (_what, event) => {
    expect(told(event).ranTools).toBe(true);
  });

  it.each([
    { type: 'content_block_start', content_block: { type: 'tool_use' } },
    { type: 'response.output_item.added', item: call('function_call') },
  ])('do not take a call of the client for one: %j', (event) => {
    expect(told(event).ranTools).toBe(false);
  });

  it('count the last running totals, and those of Groq, xAI and Google', () => {
    const running = (calls: number) => ({ usage: { server_tool_use: { web_search_requests: calls } } });
    expect(told(running(0), running(1), running(3)).toolCalls).toEqual({ web_search: 3 });
    expect(
      told({ choices: [{ message: { executed_tools: [call('search'), call('search'), {}] } }] }).toolCalls,
    ).toEqual({ search: 2 });
    expect(told({ choices: [{ delta: { executed_tools: [call('python')] } }] }).toolCalls).toEqual({
      python: 1,
    });
    expect(told({ usage: { num_sources_used: 4 } }).toolCalls).toEqual({ sources: 4 });
    const grounded = { groundingMetadata: { webSearchQueries: ['a', 'b'] } };
    expect(told({ candidates: [grounded, grounded, {}] }).toolCalls).toEqual({ googleSearch: 4 });
  });

  it('do not count calls of tools that the client runs', () => {
    const output = [
      'function_call',
      'custom_tool_call',
      'local_shell_call',
      'computer_call',
      'apply_patch_call',
      'message',
    ];
    expect(told({ output: output.map(call) }, ...output.map(done)).toolCalls).toEqual({});
  });

  it('have few and short names', () => {
    const models = Array.from({ length: 50 }, (_, nth) => ({ model: `m${nth}` }));
    expect(told(...models).models).toHaveLength(8);
    expect(told({ model: 'm'.repeat(257), service_tier: '' })).toEqual(NOTHING);
    const calls = Object.fromEntries(models.map(({ model }) => [model, 1]));
    expect(Object.keys(told({ usage: { server_tool_use: calls } }).toolCalls)).toHaveLength(32);
  });

  it('report an absurd token count, but no other large number', () => {
    expect(told({ usage: { completion_tokens: 1e9 } }).absurdTokens).toBe(0);
    expect(told({ usage: { completion_tokens: 1e9 + 1, prompt_tokens: 5e12 } }).absurdTokens).toBe(5e12);
    expect(told({ usageMetadata: { candidatesTokenCount: 2e9 } }).absurdTokens).toBe(2e9);
    expect(told({ usage: { billed_units: { output_tokens: 2e9 } } }).absurdTokens).toBe(2e9);
    expect(told({ usage: { cost_in_usd_ticks: 2e12, total_time: 2e9 } }).absurdTokens).toBe(0);
  });

  it('are read from headers too', () => {
    const headers = new Map([
      ['x-amzn-bedrock-service-tier', 'priority'],
      ['x-gemini-service-tier', 'flex'],
      ['x-amzn-bedrock-performanceconfig-latency', 'optimized'],
    ]);
    expect(billingInHeaders(headers)).toEqual({ tiers: ['priority', 'flex'], speeds: ['optimized'] });
    expect(billingInHeaders(new Map())).toEqual({ tiers: [], speeds: [] });
  });
});
