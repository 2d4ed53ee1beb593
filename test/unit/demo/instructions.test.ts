import { describe, expect, it } from 'vitest';

import { instructions } from '../../../src/demo/instructions.ts';

describe('the instructions of the demo', () => {
  const text = instructions({
    url: 'http://127.0.0.1:8080',
    adminUrl: 'http://127.0.0.1:9090',
    pageUrl: 'http://localhost:9091',
    pagePassword: 'a password of the page',
    rawKey: 'gw-key',
    keyHash: 'sha256:00',
    configFile: '/tmp/gateway-x/gateway.yaml',
    budgetUsd: 0.05,
  });

  it('have commands to copy: JSON, a stream, personal data, one over the budget, one whose limit is lowered, an injection, a tool call', () => {
    const bodies = [...text.matchAll(/-d '(.*)'$/gm)].map(([, body]) => JSON.parse(body ?? '') as object);
    expect(bodies).toHaveLength(7);
    expect(bodies[0]).not.toHaveProperty('stream');
    expect(bodies[1]).toMatchObject({ stream: true });
    // Dearer than the budget, at gpt-4o's 10 USD for a million tokens; the first at the lowest limit too.
    const [, , , many, long] = bodies as { max_tokens: number; n?: number }[];
    expect(((many?.n ?? 1) * Math.min(many?.max_tokens ?? 0, 1_024) * 10) / 1e6).toBeGreaterThan(0.05);
    expect(((long?.max_tokens ?? 0) * 10) / 1e6).toBeGreaterThan(0.05);
  });

  it('show how to query the budget, with the configuration of the demo', () => {
    expect(text).toContain('gateway -- --config /tmp/gateway-x/gateway.yaml budget status');
  });

  it('name the page and its password', () => {
    expect(text).toContain('http://localhost:9091 (password a password of the page)');
  });

  it('show how to run doctor, which reports the missing TLS without the variable', () => {
    expect(text).toContain(
      'SERVER_INSECURE_DEV=true npm run -s gateway -- --config /tmp/gateway-x/gateway.yaml doctor',
    );
  });
});
