import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { it, expect, vi } from 'vitest';
import type { TestGateway } from '../../support/gateway.ts';
import { sendRaw } from '../../support/http.ts';
import {
  type Client,
  body,
  newClient,
  gateway,
  expectAfter,
  READ_TIMEOUT_MS,
  fake,
  ask,
  odd,
  patient,
  WRITE_TIMEOUT_MS,
  expectCharge,
  UPSTREAM_TIMEOUT_MS,
  SLACK_MS,
} from './rig.ts';

export function readTimeout(): void {
  const head = (client: Client): string =>
    `POST /openai/v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 200\r\n${Object.entries(
      client.headers,
    )
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`;

  it('a body that stops: 408', async () => {
    const client = await newClient();
    const startedAt = performance.now();
    const reply = await sendRaw(gateway.port, `${head(client)}{"model"`, 10_000);
    expectAfter(performance.now() - startedAt, READ_TIMEOUT_MS);
    expect(reply).toMatch(/^HTTP\/1.1 408 /);
    expect(reply).toContain('"type":"request_timeout"');
    expect(reply).toMatch(/\r\nx-gateway-request-id: [0-9a-f-]{36}\r\n/);
  });

  it('a body that trickles: 408 too', async () => {
    const client = await newClient();
    const startedAt = performance.now();
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(head(client)));
    const trickle = setInterval(() => socket.write('{'), 100);
    let reply = '';
    socket.on('data', (chunk) => (reply += chunk.toString()));
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.on('close', resolve));
    clearInterval(trickle);
    expectAfter(performance.now() - startedAt, READ_TIMEOUT_MS);
    expect(reply).toMatch(/^HTTP\/1.1 408 /);
  });

  it('missing headers: the connection is closed', async () => {
    const startedAt = performance.now();
    const reply = await sendRaw(
      gateway.port,
      'POST /openai/v1/chat/completions HTTP/1.1\r\nHost: x\r\n',
      10_000,
    );
    expectAfter(performance.now() - startedAt, READ_TIMEOUT_MS);
    expect(reply).not.toMatch(/^HTTP\/1.1 [23]/);
  });

  it('but neither the answer nor a stream', async () => {
    const client = await newClient();
    fake.behave({ headersDelayMs: READ_TIMEOUT_MS + 100 });
    expect((await ask(client)).status).toBe(200);
  });
}

function rawRequest(client: Client, text: string): string {
  const lines = Object.entries(client.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return (
    'POST /mistral/v1/chat/completions HTTP/1.1\r\nHost: x\r\n' +
    `Content-Length: ${String(text.length)}\r\n${lines.join('')}\r\n${text}`
  );
}

/** A client on HTTP/2 that opens no window for its answer. */
function stallOnHttp2({ baseUrl }: TestGateway, client: Client, way: string) {
  const session = connectHttp2(baseUrl);
  session.on('error', () => undefined);
  const path = '/mistral/v1/chat/completions';
  const stalled = session.request({ ':method': 'POST', ':path': path, ...client.headers });
  stalled.on('error', () => undefined);
  stalled.end(body({ stream: way === 'flood', odd: way }));
  return { stalled, end: () => session.destroy() };
}

export function writeTimeout(): void {
  it('a client that stops reading a stream on HTTP/1.1 is cut off, and its reservation settled', async () => {
    const client = await newClient();
    const gone = odd.nextGone();
    const startedAt = performance.now();
    const text = body({ stream: true, odd: 'flood' });
    const socket = connect(patient.port, '127.0.0.1', () => {
      socket.pause();
      socket.write(rawRequest(client, text));
    });
    socket.on('error', () => undefined);
    await gone;
    expect(performance.now() - startedAt).toBeLessThan(WRITE_TIMEOUT_MS + 4_000);
    await expectCharge(client, 'all');
    socket.destroy();
  });

  it('a client that stops reading a finished answer on HTTP/2 is cut off', async () => {
    const client = await newClient();
    const { stalled, end } = stallOnHttp2(patient, client, 'large');
    const startedAt = performance.now();
    await new Promise((resolve) => stalled.on('close', resolve));
    expectAfter(performance.now() - startedAt, WRITE_TIMEOUT_MS);
    expect(stalled.rstCode).not.toBe(0);
    end();
  });

  // Envoy stops reading from the provider then, so the two kinds of silence look alike.
  it('a client that stalls a running stream on HTTP/2 is cut off by proxy.upstream_timeout', async () => {
    const client = await newClient();
    const gone = odd.nextGone();
    const startedAt = performance.now();
    const { end } = stallOnHttp2(gateway, client, 'flood');
    await gone;
    expect(performance.now() - startedAt).toBeLessThan(UPSTREAM_TIMEOUT_MS + SLACK_MS);
    await expectCharge(client, 'all');
    end();
  });

  it('a client that reads slowly but steadily is not', async () => {
    const client = await newClient();
    let gone = false;
    void odd.nextGone().then(() => (gone = true));
    const text = body({ stream: true, odd: 'flood' });
    const socket = connect(patient.port, '127.0.0.1', () => socket.write(rawRequest(client, text)));
    socket.on('error', () => undefined);
    let inRound = 0;
    socket.on('data', (chunk) => {
      inRound += chunk.length;
      if (inRound > 1_000_000) socket.pause();
    });
    const until = performance.now() + 3 * WRITE_TIMEOUT_MS;
    while (performance.now() < until) {
      inRound = 0;
      socket.resume();
      await vi.waitFor(() => expect(inRound).toBeGreaterThan(1_000_000));
      await delay(500);
    }
    expect(gone).toBe(false);
    socket.destroy();
    await expectCharge(client, 'all');
  });
}
