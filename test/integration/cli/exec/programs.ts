import { gzipSync } from 'node:zlib';
import { it, expect } from 'vitest';
import { type Answerer, type Recorder, startRecorder } from '../../../support/recorder.ts';
import { running, run, script, PROXY_KEY, PROVIDER_KEY } from './rig.ts';

const BODY = '{"model":"gpt-4o","messages":[]}';

async function startGateway(answer?: Answerer): Promise<Recorder> {
  const gateway = await startRecorder(answer);
  running.push(gateway);
  return gateway;
}

export function programs(): void {
  it('sends requests to the gateway with keys that it does not have, in one session', async () => {
    const gateway = await startGateway();
    const flags = ['--gateway-url', gateway.url];
    const source = `await show(await ask('${BODY}', { headers: {
        'x-gateway-provider-key': 'its own', 'x-gateway-session-id': 'its own', 'x-gateway-session-max-steps': '3',
        cookie: 'a=b', 'x-own': 'kept' } }));
      await ask('{}');
      console.log(JSON.stringify(process.env));`;
    const { code, stdout } = await run({ flags, command: script(source) });
    expect(code).toBe(0);
    expect(stdout).toContain('200 {}');
    expect(stdout).not.toContain(PROXY_KEY);
    expect(stdout).not.toContain(PROVIDER_KEY);
    const [first, second] = gateway.requests;
    expect(first).toMatchObject({ method: 'POST', path: '/openai/v1/chat/completions', body: BODY });
    expect(first?.headers).toMatchObject({
      authorization: `Bearer ${PROXY_KEY}`,
      'x-gateway-provider-key': PROVIDER_KEY,
      'x-gateway-session-id': expect.stringMatching(/^exec-[0-9a-f-]{36}$/),
      'x-gateway-session-max-steps': '3',
      'x-own': 'kept',
      'content-length': String(BODY.length),
    });
    expect(first?.headers).not.toHaveProperty('cookie');
    expect(second?.headers['x-gateway-session-id']).toBe(first?.headers['x-gateway-session-id']);
    expect(JSON.stringify(gateway.requests)).not.toContain('sk-exec-');

    await run({ flags, command: script(`await ask('{}')`) });
    expect(gateway.last().headers['x-gateway-session-id']).not.toBe(first?.headers['x-gateway-session-id']);
  });

  it('is the only one that is served, and only for its provider', async () => {
    const gateway = await startGateway();
    const source = `
      const bad = { authorization: 'Bearer sk-exec-' + 'x'.repeat(43) };
      await show(await ask('{}', { headers: bad }));
      await show(await ask('{}', { headers: { authorization: '' } }));
      const root = process.env.GATEWAY_EXEC_URL;
      await show(await ask('{}', { base: root, path: '/anthropic/v1/messages' }));
      await show(await ask('{}', { headers: bad, base: root + '/' + key, path: '/openai/v1/responses' }));
      await show(await ask('{}', { headers: { authorization: '', 'x-api-key': key } }));
      await show(await fetch(root + '/openai/v1/models?a=1&key=' + key));
      await show(await ask('{"x":1}', { base: root, path: '/mcp/demo' }));
    `;
    const { stdout } = await run({
      flags: ['--gateway-url', `${gateway.url}/base/`],
      command: script(source),
    });
    const statuses = stdout
      .trim()
      .split('\n')
      .map((line) => line.slice(0, 3));
    expect(statuses).toEqual(['401', '401', '404', '200', '200', '200', '200']);
    expect(stdout).toContain('"type":"invalid_key"');
    expect(gateway.requests.map(({ path }) => path)).toEqual([
      '/base/openai/v1/responses',
      '/base/openai/v1/chat/completions',
      '/base/openai/v1/models?a=1',
      '/base/mcp/demo',
    ]);
    // The server of a tool does not need the provider's key.
    expect(gateway.last().headers).not.toHaveProperty('x-gateway-provider-key');
    expect(gateway.last().headers['authorization']).toBe(`Bearer ${PROXY_KEY}`);
  });

  it('gets the chosen model', async () => {
    const gateway = await startGateway();
    const flags = ['--gateway-url', gateway.url];
    await run({
      flags: [...flags, '--model-override', 'gpt-4o-mini'],
      command: script(`await ask('{"model": "o3" ,"n":1.0}')`),
    });
    expect(gateway.last().body).toBe('{"model": "gpt-4o-mini" ,"n":1.0}');
    await run({
      flags: [...flags, '--model-map', 'fast=gemini-2.5-flash,smart=x'],
      env: { GATEWAY_PROVIDER: 'gemini', GEMINI_API_KEY: 'AIza' },
      command: script(`await ask('{"contents":[]}', {
        base: process.env.GOOGLE_GEMINI_BASE_URL, path: '/v1beta/models/fast:streamGenerateContent?alt=sse',
        headers: { authorization: '', 'x-goog-api-key': process.env.GEMINI_API_KEY } })`),
    });
    expect(gateway.last()).toMatchObject({
      path: '/gemini/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      body: '{"contents":[]}',
    });
  });

  it('is refused if the model cannot be set', async () => {
    const gateway = await startGateway();
    const zipped = gzipSync(BODY).toString('base64');
    const { stdout } = await run({
      flags: ['--gateway-url', gateway.url, '--model-override', 'gpt-4o-mini'],
      command: script(`
        await show(await ask(Buffer.from('${zipped}', 'base64'), { headers: { 'content-encoding': 'gzip' } }));
        await show(await ask('a=b', { headers: { 'content-type': 'multipart/form-data' } }));
        await show(await ask('{"a":1,"a":2}'));
        await show(await ask('"' + 'x'.repeat(17 * 1024 * 1024) + '"'));
      `),
    });
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.slice(0, 3)),
    ).toEqual(['415', '415', '400', '413']);
    expect(gateway.requests).toEqual([]);
  });

  it('sends and receives without delay, and sees a cut as one', async () => {
    let release = (): void => undefined;
    const gateway = await startGateway((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-gateway-request-id': 'r1' });
      response.write('data: one\n\n');
      release = () => {
        response.write('data: two\n\n');
        setTimeout(() => response.destroy(), 50);
      };
    });
    const { stdout } = await run({
      flags: ['--gateway-url', gateway.url],
      command: script(`
        const answer = await ask('{}');
        console.log(answer.headers.get('x-gateway-request-id'));
        let text = '';
        try {
          for await (const chunk of answer.body) { text += Buffer.from(chunk); console.log('GOT ' + text.length); }
          console.log('ENDED');
        } catch { console.log('CUT'); }
      `),
      onOutput: (text) => {
        if (text.endsWith('GOT 11\n')) release();
      },
    });
    expect(stdout).toBe('r1\nGOT 11\nGOT 22\nCUT\n');
  });

  it('gets an error if the gateway is unreachable', async () => {
    const gateway = await startRecorder();
    await gateway.close();
    const { stdout } = await run({
      flags: ['--gateway-url', gateway.url],
      command: script(`await show(await ask('{}'))`),
    });
    expect(stdout).toMatch(
      /^503 .*"the gateway at http:\/\/127.0.0.1:\d+: ECONNREFUSED","type":"gateway_unavailable"/,
    );
  });
}
