import { describe, expect, it } from 'vitest';
import { refusedRedirect } from '../../../src/answers/refused-redirect.ts';
import type { Answered } from '../../../src/pipeline/exchange.ts';
import { answered, parsed } from '../../support/exchange.ts';
import { mcpExchange } from '../../support/mcp-exchange.ts';

const LOCATION = new Map([['location', 'https://inside.example/mcp/?key=1']]);

type Row = readonly [string, Partial<Answered>, boolean];

const ROWS: readonly Row[] = [
  ['a redirect', { status: 307, answerHeaders: LOCATION }, true],
  ['the lowest 3xx status', { status: 300, answerHeaders: LOCATION }, true],
  ['the highest 3xx status', { status: 399, answerHeaders: LOCATION }, true],
  ['a 300 without a Location', { status: 300, answerHeaders: new Map() }, true],
  ['a 201 with a Location', { status: 201, answerHeaders: LOCATION }, false],
  ['an error with a Location', { status: 400, answerHeaders: LOCATION }, false],
  ['a 304 without a Location', { status: 304, method: 'GET', answerHeaders: new Map() }, false],
  ['a 304 with a Location', { status: 304, method: 'GET', answerHeaders: LOCATION }, true],
  ['a 304 after a POST', { status: 304, method: 'POST', answerHeaders: new Map() }, true],
];

describe.each([
  ['a provider', parsed({ body: { model: 'm', messages: [] } }), 'providers.openai.base_url'],
  ['an MCP server', mcpExchange(), 'mcp.servers[].url'],
] as const)('of %s', (_who, exchange, setting) => {
  it.each(ROWS)('%s', (_what, answer, isRefused) => {
    const refused = refusedRedirect({ ...answered(exchange), ...answer });
    expect(refused !== undefined).toBe(isRefused);
    if (!isRefused) return;
    expect(refused?.refusal).toMatchObject({
      type: 'upstream_unavailable',
      message: expect.stringContaining(setting) as string,
    });
    expect(refused?.refusal.message).not.toContain('inside');
  });
});

it.each([
  ['location', 'https://a.example:8443/p?k=SECRET#f', 'a.example:8443'],
  ['location', 'HTTPS://U:SECRET@A.example/', 'a.example'],
  ['location', '//b.example/SECRET', 'b.example'],
  ['location', '?key=SECRET', 'another path on the same host'],
  ['location', 'http://[::SECRET', 'an invalid URL'],
  ['location', 'data:SECRET', 'a URL without a host'],
  ['location', 'https://\u043f\u0440\u0438.example/', 'xn--h1and.example'],
  ['refresh', '0; url=https://c.example/SECRET', 'c.example'],
  ['refresh', '5,URL = "https://d.example/SECRET"', 'd.example'],
  ['refresh', '0;https://e.example/SECRET', 'e.example'],
])('the host of %s: %s', (name, value, host) => {
  const answerHeaders = new Map([[name, value]]);
  const note = refusedRedirect({
    ...answered(parsed({ body: { model: 'm', messages: [] } })),
    status: 302,
    answerHeaders,
  })?.refusal.note;
  expect(note).toBe(`redirected (302) to ${host}`);
});

it.each([
  [300, false],
  [301, false],
  [302, false],
  [303, false],
  [307, true],
  [308, true],
])('a %i shows whether the request was processed: %s', (status, isAskedAgain) => {
  const exchange = answered(parsed({ body: { model: 'm', messages: [] } }));
  const refused = refusedRedirect({ ...exchange, status, answerHeaders: LOCATION });
  expect(refused?.isUnprocessed).toBe(isAskedAgain);
});

it('shortens a long host in the log', () => {
  const answerHeaders = new Map([['location', `x://${'a'.repeat(60_000)}/`]]);
  const refused = refusedRedirect({
    ...answered(parsed({ body: { model: 'm', messages: [] } })),
    status: 302,
    answerHeaders,
  });
  expect(refused?.refusal.note?.length).toBeLessThan(300);
});
