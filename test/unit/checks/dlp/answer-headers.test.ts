import { describe, expect, it } from 'vitest';
import { answered, AWS_KEY, CARD, dlp, EMAIL, judgeAnswer, SSN } from './rig.ts';

const BODY = { choices: [{ message: { content: 'Fine.' } }] };
const FINE = JSON.stringify(BODY);

async function judged(headers: Readonly<Record<string, string>>, rig = dlp(), body: object = BODY) {
  const exchange = answered({ body, headers });
  const result = await judgeAnswer(rig, exchange);
  return { ...result, set: Object.fromEntries(exchange.responseHeaders) };
}

describe('headers of an answer', () => {
  it('pass unchanged without a finding', async () => {
    const { verdict, set } = await judged({
      ':status': '200',
      'x-request-id': 'req_0123456789abcdef0123456789abcdef',
      'x-ratelimit-remaining-tokens': '29999980',
      'openai-processing-ms': '1234',
      'cf-ray': '8c1f2a3b4c5d6e7f-SJC',
      'retry-after-ms': '1722222222',
      server: 'cloudflare',
    });
    expect([verdict, set]).toEqual([{ kind: 'pass' }, {}]);
  });

  it('are masked in an invalid date', async () => {
    expect((await judged({ date: `Tue ${EMAIL}` })).set).toMatchObject({ date: 'Tue ***' });
    expect((await judged({ date: 'Tue, 24 Nov 2026 17:55:13 GMT' })).set).toEqual({});
  });

  it('are masked in their values, and the answer reports it', async () => {
    const { verdict, set, body } = await judged({
      'x-ms-debug': `user ${EMAIL} at /`,
      'x-ms-card': CARD,
      'x-ms-a': 'b',
    });
    expect(verdict).toMatchObject({
      kind: 'rewrite',
      reason: 'masked in the answer: email (email_address), card (visa)',
    });
    expect(set).toEqual({
      'x-ms-debug': 'user *** at /',
      'x-ms-card': '***',
      'x-gateway-dlp-redacted': 'true',
    });
    expect(body).toBe(FINE);
  });

  it('are reported by the content of their values, not of their names', async () => {
    const { verdict, set } = await judged({ [`x-ms-${CARD}`]: `user ${EMAIL} at /` });
    expect(verdict).toMatchObject({ reason: 'masked in the answer: email (email_address)' });
    expect(set).toEqual({ [`x-ms-${CARD}`]: 'user *** at /', 'x-gateway-dlp-redacted': 'true' });
  });

  it('are masked with the body, and once each', async () => {
    const { set, body, verdict } = await judged({ 'x-ms-debug': EMAIL }, dlp(), {
      error: { message: `no ${SSN}` },
    });
    expect(verdict).toMatchObject({
      reason: 'masked in the answer: email (email_address); masked in the answer: ssn (us_ssn)',
    });
    expect(set).toEqual({ 'x-ms-debug': '***', 'x-gateway-dlp-redacted': 'true' });
    expect(body).toBe('{"error":{"message":"no ***"}}');
  });

  it('are masked as a whole if they contain more than ASCII', async () => {
    expect((await judged({ 'x-ms-debug': `caf\u00c3\u00a9 ${EMAIL}` })).set).toMatchObject({
      'x-ms-debug': '***',
    });
  });

  it('withhold the answer for a secret', async () => {
    const rig = dlp();
    const { verdict, set } = await judged({ 'x-ms-debug': `key=${AWS_KEY}` }, rig);
    expect(verdict).toMatchObject({
      kind: 'deny',
      type: 'dlp_quarantine',
      message: 'the answer was withheld: it contains secrets',
    });
    expect(set).toEqual({});
    expect(rig.leaks).toHaveLength(1);
    expect(rig.classes).toEqual([{ class: 'secret', side: 'answer', action: 'quarantine' }]);
  });

  it('are searched for a secret that only the header’s name identifies', async () => {
    const secret = `wJ4hPq8${'rT2vXz6LmN0bKd3FgY5sCe1uAi9oQwErTyUi'.slice(0, 33)}`;
    const { set } = await judged({ 'x-ms-aws_secret_access_key': secret }, dlp({ action: 'mask' }));
    expect(set).toMatchObject({ 'x-ms-aws_secret_access_key': '***' });
  });

  it('are searched without a body, and before a stream', async () => {
    const { check } = dlp();
    const exchange = answered({ body: '', headers: { 'x-ms-debug': EMAIL } });
    for (const form of ['whole', 'stream'] as const) {
      const headersOnly = { ...exchange, form, answer: { ...exchange.answer, whole: undefined } };
      const verdict = await check.response?.(headersOnly, undefined);
      expect(verdict).toMatchObject({
        kind: 'rewrite',
        reason: 'masked in the answer: email (email_address)',
      });
    }
  });

  it('are masked in every answer, even if earlier answers had no findings', async () => {
    const rig = dlp();
    for (let round = 0; round < 50; round += 1) {
      const { set } = await judged(
        { 'x-ms-a': `fine ${String(round)}`, 'x-ms-debug': EMAIL, 'x-ms-b': 'fine' },
        rig,
      );
      expect(set).toEqual({ 'x-ms-debug': '***', 'x-gateway-dlp-redacted': 'true' });
    }
  });

  it('are not searched if the gateway removes them, since a mask would add them again', async () => {
    const { verdict, set } = await judged({
      'set-cookie': `session=${AWS_KEY}`,
      location: `https://example.com/?to=${EMAIL}`,
      'x-made-up': EMAIL,
      etag: `"${CARD}"`,
    });
    expect([verdict, set]).toEqual([{ kind: 'pass' }, {}]);
  });

  it('are masked in the parameters of a Content-Type', async () => {
    const { set } = await judged({ 'content-type': `application/json; x=${EMAIL}` });
    expect(set).toMatchObject({ 'content-type': 'application/json; x=***' });
  });

  it('are not taken for the gateway’s own after a mask', async () => {
    const { verdict, set } = await judged({ 'x-gateway-request-cost': EMAIL });
    expect([verdict, set]).toEqual([{ kind: 'pass' }, {}]);
  });
});
