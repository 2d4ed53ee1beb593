import { expect, it } from 'vitest';
import { refuseRedirect } from '../../../../src/checks/mcp/misleading-answers.ts';
import type { Answered } from '../../../../src/pipeline/exchange.ts';
import { answered } from '../../../support/exchange.ts';
import { mcpExchange } from '../../../support/mcp-exchange.ts';

const LOCATION = new Map([['location', 'https://inside.example/mcp/']]);

it.each<[string, Partial<Answered>, object | undefined]>([
  ['a redirect', { status: 307, answerHeaders: LOCATION }, { kind: 'deny', type: 'upstream_unavailable' }],
  ['the first of its kind', { status: 300, answerHeaders: LOCATION }, { kind: 'deny' }],
  ['the last of its kind', { status: 399, answerHeaders: LOCATION }, { kind: 'deny' }],
  ['a choice without an address', { status: 300, answerHeaders: new Map() }, { kind: 'deny' }],
  ['what is new at an address', { status: 201, answerHeaders: LOCATION }, undefined],
  ['an error with an address', { status: 400, answerHeaders: LOCATION }, undefined],
  ['what has not changed', { status: 304, answerHeaders: new Map() }, undefined],
  ['Envoy’s own answer', { status: 307, answerHeaders: LOCATION, origin: 'lost' }, undefined],
])('of the answers of an MCP server, %s', (_what, answer, verdict) => {
  const judged = refuseRedirect({ ...answered(mcpExchange()), ...answer });
  if (verdict === undefined) expect(judged).toBeUndefined();
  else expect(judged).toMatchObject(verdict);
});
