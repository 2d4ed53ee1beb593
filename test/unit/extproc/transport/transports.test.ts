import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import {
  credentials,
  Metadata,
  status,
  type ChannelCredentials,
  type Client,
  type ClientDuplexStream,
  type StatusObject,
} from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  GRPC_STATUS,
  type RpcCall,
  type CallListener,
  type ListenTls,
  type Transport,
} from '../../../../src/extproc/transport/transport.ts';
import type { ProcessingRequest } from '../../../../src/extproc/wire/messages.ts';
import { streamChunk } from '../../../../src/extproc/reply/respond.ts';
import { loadTransport } from '../../../../src/extproc/server.ts';
import { timeoutMs } from '../../../../src/extproc/transport/lean-transport.ts';
import { createTestCa, type Identity } from '../../../support/certs.ts';
import { loadServices } from '../../../support/ext-proc-client.ts';
import { freePort } from '../../../support/ports.ts';

/** One table for both: their user cannot tell which one serves it. */

type ClientCall = ClientDuplexStream<object, { response_body?: { response: object } }>;

interface Served {
  readonly call: RpcCall;
  readonly token: string | undefined;
  readonly messages: ProcessingRequest[];
  readonly events: string[];
}

const SIXTEEN_MIB = 16_777_216;

describe.each(['lean', 'grpc-js'] as const)('%s', (name) => {
  const { processor, health } = loadServices();
  const clients: Client[] = [];
  let directory: string;
  let transport: Transport;
  let served: Served[];
  let faults: unknown[];
  let isTaking: boolean;
  /** A call's treatment of a message; by default it is sent back. */
  let onMessage: (one: Served, message: ProcessingRequest) => void;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'gw-transport-'));
    served = [];
    faults = [];
    isTaking = true;
    onMessage = ({ call }, { body, endOfStream }) => void call.write(streamChunk(body, endOfStream, 0));
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
    transport.close();
    rmSync(directory, { recursive: true });
  });

  function accept(call: RpcCall, token: string | undefined): CallListener | undefined {
    if (!isTaking) return undefined;
    const one: Served = { call, token, messages: [], events: [] };
    served.push(one);
    return {
      message(message) {
        one.messages.push(message);
        onMessage(one, message);
      },
      ended() {
        one.events.push('ended');
        call.end();
      },
      drained: () => one.events.push('drained'),
      closed: () => one.events.push('closed'),
    };
  }

  async function start(tls?: ListenTls): Promise<string> {
    const port = tls === undefined ? 0 : await freePort();
    const path = join(directory, 'ext.sock');
    const begin = await loadTransport(name);
    transport = await begin({
      address: tls === undefined ? { kind: 'unix', path } : { kind: 'tcp', host: '127.0.0.1', port, tls },
      accept,
      isServing: () => isTaking,
      onFault: (cause) => faults.push(cause),
    });
    return tls === undefined ? `unix:${path}` : `127.0.0.1:${String(port)}`;
  }

  function open(target: string, secret: ChannelCredentials = credentials.createInsecure()): Client {
    const client = new processor(target, secret, {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
    });
    clients.push(client);
    return client;
  }

  function begin(client: Client, metadata = new Metadata()): ClientCall {
    const call = (client as unknown as Record<'Process', (metadata: Metadata) => ClientCall>).Process(
      metadata,
    );
    call.on('error', () => undefined);
    return call;
  }

  const ended = (call: ClientCall): Promise<StatusObject> =>
    new Promise((resolve) => {
      call.on('status', resolve);
      call.resume();
    });
  const next = (call: ClientCall): Promise<unknown> => new Promise((resolve) => call.once('data', resolve));
  const body = (bytes: Buffer, end = false): object => ({
    request_body: { body: bytes, end_of_stream: end },
  });
  /** A client of grpc-js may end its side before it resets the stream. */
  const expectClosedOnce = (): Promise<void> =>
    expect.poll(() => served[0]?.events.filter((event) => event !== 'ended')).toEqual(['closed']);
  const small = body(Buffer.from('hi'));

  it('carries messages in both directions until both sides have ended, on a private socket', async () => {
    const target = await start();
    const metadata = new Metadata();
    metadata.set('x-gateway-token', 'sixteen-characters');
    const call = begin(open(target), metadata);
    call.write(small);
    expect(await next(call)).toMatchObject({ response: 'response_body' });
    call.write(small);
    await next(call);
    call.end();
    expect((await ended(call)).code).toBe(status.OK);
    expect(served).toMatchObject([{ token: 'sixteen-characters', events: ['ended', 'closed'] }]);
    expect(served[0]?.messages.map((message) => [message.phase, message.body.toString()])).toEqual([
      ['request_body', 'hi'],
      ['request_body', 'hi'],
    ]);
    expect(statSync(target.slice('unix:'.length)).mode & 0o777).toBe(0o600);
  });

  it('refuses streams that its user refuses, so that Envoy asks another worker', async () => {
    const target = await start();
    isTaking = false;
    expect(await ended(begin(open(target)))).toMatchObject({
      code: status.UNAVAILABLE,
      details: 'not accepting new streams',
    });
  });

  it('answers the health check, and no unknown method', async () => {
    const target = await start();
    const asked = (): Promise<unknown> =>
      new Promise((resolve) => {
        const client = new health(target, credentials.createInsecure());
        clients.push(client);
        const { Check } = client as unknown as Record<
          'Check',
          (ask: object, done: (...of: unknown[]) => void) => void
        >;
        Check.call(client, { service: 'any' }, (error, reply) => resolve(error ?? reply));
      });
    expect(await asked()).toEqual({ status: 1 });
    isTaking = false;
    expect(await asked()).toEqual({ status: 2 });
    const client = open(target);
    const unknown = client.makeUnaryRequest(
      '/no.such/Method',
      () => Buffer.alloc(0),
      String,
      {},
      () => undefined,
    );
    const code = await new Promise((resolve) =>
      unknown.on('status', (told: StatusObject) => resolve(told.code)),
    );
    expect(code).toBe(status.UNIMPLEMENTED);
  });

  it.each([false, true])(
    'fails with a status, and reports the end to its user once (after a reply: %s)',
    async (answers) => {
      const call = begin(open(await start()));
      onMessage = (one) => {
        if (answers) one.call.write(streamChunk(Buffer.from('x'), false, 0));
        one.call.fail(GRPC_STATUS.internal, 'failed closed');
        one.call.fail(GRPC_STATUS.internal, 'again');
        one.call.end();
        one.call.write({});
      };
      call.write(small);
      call.write(small);
      expect(await ended(call)).toMatchObject({ code: status.INTERNAL, details: 'failed closed' });
      await expect.poll(() => served[0]?.events).toEqual(['closed']);
      expect(served[0]?.messages).toHaveLength(1);
    },
  );

  it('reports a cancellation by the peer', async () => {
    const call = begin(open(await start()));
    call.write(small);
    await next(call);
    call.cancel();
    await expectClosedOnce();
  });

  it('keeps the peer’s deadline', async () => {
    const metadata = new Metadata();
    metadata.set('grpc-timeout', '300m');
    const call = begin(open(await start()), metadata);
    call.write(small);
    expect((await ended(call)).code).toBe(status.DEADLINE_EXCEEDED);
    await expectClosedOnce();
  });

  it('carries 16 MiB in each direction', async () => {
    const call = begin(open(await start()));
    const bytes = Buffer.alloc(SIXTEEN_MIB);
    for (let at = 0; at < bytes.length; at += 4) bytes.writeUInt32LE(at, at);
    call.write(body(bytes));
    const reply = (await next(call)) as {
      response_body: { response: { body_mutation: { streamed_response: { body: Buffer } } } };
    };
    expect(reply.response_body.response.body_mutation.streamed_response.body.equals(bytes)).toBe(true);
    expect(served[0]?.messages[0]?.body.equals(bytes)).toBe(true);
    call.end();
    expect((await ended(call)).code).toBe(status.OK);
  });

  it('refuses a message that is longer than Envoy’s longest', async () => {
    const call = begin(open(await start()));
    call.write(body(Buffer.alloc(2 * SIXTEEN_MIB)));
    expect((await ended(call)).code).toBe(status.RESOURCE_EXHAUSTED);
    await expect.poll(() => served[0]?.events).toEqual(['closed']);
    expect(served[0]?.messages).toEqual([]);
  });

  it('fails a stream with an unreadable message', async () => {
    const client = open(await start());
    const path = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';
    const call = client.makeBidiStreamRequest<Buffer, Buffer>(
      path,
      (bytes) => bytes,
      (bytes) => bytes,
    );
    call.on('error', () => undefined);
    call.resume();
    call.write(Buffer.from([0x0e]));
    const told = await new Promise<StatusObject>((resolve) => call.on('status', resolve));
    expect(told.code).toBe(status.INTERNAL);
    expect(served[0]?.messages).toEqual([]);
    await expect.poll(() => served[0]?.events).toEqual(['closed']);
  });

  it('carries 200 streams at once, each with its own messages', async () => {
    const client = open(await start());
    const calls = Array.from({ length: 200 }, async (_, nth) => {
      const call = begin(client);
      for (let time = 0; time < 4; time++) {
        call.write(body(Buffer.from(`${String(nth)}.${String(time)}`)));
        expect(JSON.stringify(await next(call))).toContain(
          JSON.stringify(Buffer.from(`${String(nth)}.${String(time)}`)),
        );
      }
      call.end();
      return (await ended(call)).code;
    });
    expect(new Set(await Promise.all(calls))).toEqual(new Set([status.OK]));
    expect(served).toHaveLength(200);
  });

  it('delivers little to a paused user, holds back the peer, and delivers the rest later', async () => {
    const call = begin(open(await start()));
    onMessage = (one) => one.call.pause();
    const chunk = body(Buffer.alloc(10_000, 'x'));
    let taken = 0;
    for (let nth = 0; nth < 200; nth++) call.write(chunk, () => taken++);
    call.end();
    await expect.poll(() => served[0]?.messages.length).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(served[0]?.messages.length).toBeLessThan(20);
    expect(taken).toBeLessThan(150);
    onMessage = () => undefined;
    served[0]?.call.resume();
    expect((await ended(call)).code).toBe(status.OK);
    expect(served[0]?.messages).toHaveLength(200);
    expect(served[0]?.events).toEqual(['ended', 'closed']);
  });

  it('cuts open streams when it closes, and accepts no new ones', async () => {
    const target = await start();
    const call = begin(open(target));
    call.write(small);
    await next(call);
    transport.close();
    expect((await ended(call)).code).not.toBe(status.OK);
    await expect.poll(() => served[0]?.events).toEqual(['closed']);
    expect((await ended(begin(open(target)))).code).toBe(status.UNAVAILABLE);
  });

  it('accepts over TLS only clients with a certificate of its authority', async () => {
    const ca = await createTestCa();
    const stranger = await createTestCa();
    try {
      const server = await ca.issue('server', ['127.0.0.1']);
      const target = await start({ cert: server.cert, key: server.key, clientCa: ca.ca });
      const trust = readFileSync(ca.caFile);
      async function code(secret: ChannelCredentials): Promise<number> {
        const call = begin(open(target, secret));
        call.write(small);
        call.end();
        return (await ended(call)).code;
      }
      const ours = await ca.issue('envoy');
      const theirs = await stranger.issue('envoy');
      const showing = ({ cert, key }: { cert: string; key: string }): ChannelCredentials =>
        credentials.createSsl(trust, Buffer.from(key), Buffer.from(cert));
      expect(await code(showing(ours))).toBe(status.OK);
      expect(await code(showing(theirs))).toBe(status.UNAVAILABLE);
      expect(await code(credentials.createSsl(trust))).toBe(status.UNAVAILABLE);
      expect(await code(credentials.createInsecure())).toBe(status.UNAVAILABLE);
      expect(served).toHaveLength(1);

      const lasting = begin(open(target, showing(ours)));
      lasting.write(small);
      await next(lasting);
      const renewed = await ca.issue('renewed', ['127.0.0.1']);
      transport.renewTls({ cert: renewed.cert, key: renewed.key, clientCa: stranger.ca });
      expect(await code(showing(theirs)), 'of the renewed authority').toBe(status.OK);
      expect(await code(showing(ours)), 'of the authority before').toBe(status.UNAVAILABLE);
      expect(await serialShown(target, theirs)).toBe(new X509Certificate(renewed.cert).serialNumber);
      lasting.write(small);
      expect(await next(lasting), 'a connection from before').toMatchObject({ response: 'response_body' });
      lasting.end();
      await ended(lasting);
    } finally {
      ca.close();
      stranger.close();
    }
  });
});

/** Returns the serial number of the certificate that a server shows. */
async function serialShown(target: string, { cert, key }: Identity): Promise<string> {
  const [host = '', port = ''] = target.split(':');
  const socket = connect({ host, port: Number(port), cert, key, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

it.each([
  ['1H', 3_600_000],
  ['2M', 120_000],
  ['3S', 3_000],
  ['4m', 4],
  ['5000u', 5],
  ['6000000n', 6],
  ['99999999H', undefined],
  ['123456789S', undefined],
  ['5', undefined],
  ['-1S', undefined],
  [undefined, undefined],
])('the deadline %s is %s ms away', (written, ms) => {
  expect(timeoutMs(written)).toBe(ms);
});
