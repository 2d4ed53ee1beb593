import { it, expect } from 'vitest';
import { expectRefusal } from '../budgets/rig.ts';
import {
  provider,
  ask,
  expectUntouched,
  SECRET,
  riskOf,
  lockMs,
  chat,
  gateway,
  key,
  variant,
  expectQuarantined,
} from './rig.ts';

export function streams(): void {
  const chunk = (content: string): string =>
    `data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`;
  const last = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
  const events = { 'content-type': 'text/event-stream' };
  const said = (body: string): string =>
    [...body.matchAll(/"content":"([^"]*)"/g)].map(([, text]) => text ?? '').join('');

  it('rewrites each chunk’s data in flight, and reports it in a comment', async () => {
    provider.answer({
      headers: events,
      body: chunk('Write to ann.lee@sh') + chunk('op.example.org today.') + last,
    });
    const reply = await ask();
    expect(reply.status).toBe(200);
    expect(said(reply.body)).toBe('Write to *** today.');
    expect(reply.body).toContain(last);
    expect(reply.body).toContain('\n: x-gateway-dlp-redacted=true\n');
    expect(reply.headers).not.toHaveProperty('content-length');
    await expectUntouched();
  });

  it.each([
    ['Arabic', 0x0660],
    ['Persian', 0x06f0],
    ['fullwidth', 0xff10],
  ])('masks a card number in %s digits that is split across chunks', async (_script, zero) => {
    const card = '4539578763621486'.replaceAll(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));
    const pieces = ['Card ', card.slice(0, 5), card.slice(5, 11), card.slice(11), ' is on file.'];
    provider.answer({ headers: events, body: pieces.map(chunk).join('') + last });
    expect(said((await ask()).body)).toBe('Card *** is on file.');
  });

  it('cuts at a secret that is split across chunks, with an error frame of type dlp_quarantine', async () => {
    const body =
      chunk(`The key is ${SECRET.slice(0, 10)}`) + chunk(`${SECRET.slice(10)}.`) + chunk('More.') + last;
    provider.answer({ headers: events, body });
    const reply = await ask();
    expect(reply.status).toBe(200);
    const frames = reply.body.split('\n\n').filter((frame) => frame.startsWith('data: '));
    const cut = JSON.parse(frames.at(-1)?.slice('data: '.length) ?? '') as { type: string };
    expect(cut.type).toBe('dlp_quarantine');
    expect(reply.body).not.toMatch(/\[DONE\]|More|finish_reason":"stop/);
    expect(reply.body).not.toContain(SECRET.slice(0, 4));
    await expect.poll(() => riskOf()).toBe('30');
    expect(await lockMs()).toBeGreaterThan(0);
    provider.answer({ body: chat('Fine.') });
    expectRefusal(await ask(), 403, 'quarantined');
  });

  it.each([
    ['Base64', (text: string) => Buffer.from(text).toString('base64url')],
    ['hexadecimal digits', (text: string) => Buffer.from(text).toString('hex')],
  ])('cuts at a secret in %s before any of it has left', async (_name, encode) => {
    const digits = encode(`# settings\nAWS_ACCESS_KEY_ID=${SECRET}\nAWS_REGION=eu-west-1\n`);
    const pieces = digits.match(/.{1,7}/g) ?? [];
    provider.answer({ headers: events, body: ['Here: ', ...pieces, ' keep it.'].map(chunk).join('') + last });
    const reply = await ask();
    expect(reply.body).toContain('dlp_quarantine');
    expect(said(reply.body)).toBe('Here: ');
    await expect.poll(() => riskOf()).toBe('30');
  });

  it('passes a picture in Base64, piece by piece', async () => {
    const picture = Buffer.from(`\x89PNG\r\n\x1a\n${'\xff\0\x10'.repeat(400)}`, 'latin1').toString('base64');
    const body = (picture.match(/.{1,50}/g) ?? []).map(chunk).join('') + last;
    provider.answer({ headers: events, body });
    const reply = await ask();
    expect(said(reply.body)).toBe(picture);
    expect(reply.body).not.toContain('dlp');
    await expectUntouched();
  });

  it('ends a cut stream with its comments: the block, earlier masks, the cost', async () => {
    await gateway.setBudget(key.keyHash, { daily: 1 });
    const body = chunk('Write to ann.lee@shop.example.org today. ') + chunk(`The key is ${SECRET}.`) + last;
    provider.answer({ headers: events, body });
    const reply = await ask();
    const comments = reply.body.slice(reply.body.indexOf('dlp_quarantine')).match(/^: .*$/gm) ?? [];
    expect(comments[0]).toBe(': x-gateway-dlp-block=true');
    expect(comments[1]).toBe(': x-gateway-dlp-redacted=true');
    expect(comments[2]).toMatch(/^: x-gateway-request-cost=[\d.]+ .*x-gateway-budget-window=daily$/);
    expect(reply.body).not.toContain('[DONE]');
  });

  it('has none of them under strip_budget_headers', async () => {
    const target = await variant({}, { server: { strip_budget_headers: true } });
    await target.setBudget(key.keyHash, { daily: 1 });
    const masked = chunk('Write to ann.lee@shop.example.org today. ');
    for (const body of [masked + last, masked + chunk(`The key is ${SECRET}.`) + last]) {
      provider.answer({ headers: events, body });
      const reply = await ask({ target });
      expect(said(reply.body)).toContain('Write to *** today. ');
      expect(reply.body).not.toMatch(/^:|x-gateway/m);
    }
  });

  it.each([
    ['events', 'text/event-stream', (json: string) => `data: ${json}\n\n`],
    ['lines', 'application/x-ndjson', (json: string) => `${json}\n`],
    ['lines that call themselves JSON', 'application/json', (json: string) => `${json}\n`],
  ])('finds a value split over two events of an unknown endpoint: %s', async (_form, type, write) => {
    const path = '/openai/v1/assistants/speak';
    const body = (...pieces: string[]): string =>
      pieces.map((delta) => write(JSON.stringify({ delta }))).join('');
    provider.answer({ headers: { 'content-type': type }, body: body('to ann.lee@sh', 'op.example.org now') });
    const masked = await ask({ path });
    expect([masked.status, masked.body]).toEqual([200, expect.stringContaining('to ***')]);
    expect(masked.body).not.toMatch(/ann|op\.example/);
    provider.answer({
      headers: { 'content-type': type },
      body: body(`key ${SECRET.slice(0, 9)}`, `${SECRET.slice(9)}.`),
    });
    const reply = await ask({ path });
    expect(reply.body).toContain('dlp_quarantine');
    expect(reply.body).not.toMatch(new RegExp(`${SECRET.slice(0, 9)}|${SECRET.slice(9)}`));
    await expect.poll(() => riskOf()).toBe('30');
  });

  it('masks a header of the stream', async () => {
    provider.answer({ headers: { ...events, 'x-ms-debug': 'at 10.20.30.40' }, body: chunk('Fine.') + last });
    const reply = await ask();
    expect([reply.status, said(reply.body)]).toEqual([200, 'Fine.']);
    expect(reply.headers).toMatchObject({ 'x-ms-debug': 'at ***', 'x-gateway-dlp-redacted': 'true' });
  });

  it('withholds a stream for a secret in its headers', async () => {
    provider.answer({ headers: { ...events, 'x-ms-debug': SECRET }, body: chunk('Fine.') + last });
    await expectQuarantined(await ask(), 'secrets');
  });
}
