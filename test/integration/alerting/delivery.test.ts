import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it } from 'vitest';
import { createDelivery, type Delivery } from '../../../src/alerting/delivery.ts';
import type { AlertEvent } from '../../../src/alerting/event.ts';
import { postPinned } from '../../../src/alerting/post.ts';
import { secretBytes } from '../../../src/alerting/sign.ts';
import { startRecorder, type Recorded, type Recorder } from '../../support/recorder.ts';

/** Over real connections to a real receiver. */
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const EVENT: AlertEvent = {
  type: 'circuit.opened',
  data: { server: 'files', circuit: 'server', key_hash: null },
};

let recorder: Recorder | undefined;
let delivery: Delivery | undefined;
afterEach(async () => {
  await delivery?.close(0);
  await recorder?.close();
  delivery = recorder = undefined;
});

/** @param answer by the number of the request, from 0 */
async function rig(
  answer: (nth: number, response: ServerResponse, request: IncomingMessage) => void,
  more: { readonly host?: string; readonly backOffMs?: readonly number[]; readonly maxQueued?: number } = {},
) {
  const told: string[] = [];
  recorder = await startRecorder((request, response) => answer(received.length - 1, response, request));
  const received = recorder.requests;
  const { port } = new URL(recorder.url);
  delivery = createDelivery({
    url: new URL(`http://${more.host ?? '127.0.0.1'}:${port}/hook`),
    secret: secretBytes(SECRET),
    post: postPinned,
    onDelivered: (type) => told.push(`delivered ${type}`),
    onLost: (type, why, cause) => told.push(`${why} ${type} ${cause}`.trim()),
    backOffMs: more.backOffMs ?? [10, 10, 10],
    ...(more.maxQueued !== undefined && { maxQueued: more.maxQueued }),
  });
  return { received, told, delivery };
}

const verified = ({ body, headers }: Recorded): unknown =>
  new Webhook(SECRET).verify(body, headers as Record<string, string>);

const status = (code: number) => (_nth: number, response: ServerResponse) => response.writeHead(code).end();

it('is one signed POST, verified by the library of the standard', async () => {
  const { received, told, delivery: sending } = await rig(status(204));
  sending.send(EVENT);
  await expect.poll(() => told).toEqual(['delivered circuit.opened']);
  const [one] = received;
  if (one === undefined) throw new Error('nothing came');
  expect(one.headers['content-type']).toBe('application/json');
  expect(verified(one)).toEqual({
    ...EVENT,
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  });
});

it('is repeated with its id, signed again, until the receiver accepts it', async () => {
  const {
    received,
    told,
    delivery: sending,
  } = await rig((nth, response, request) => {
    if (nth === 0) request.socket.destroy();
    else response.writeHead(nth === 1 ? 503 : 200).end();
  });
  sending.send(EVENT);
  await expect.poll(() => told).toEqual(['delivered circuit.opened']);
  expect(received).toHaveLength(3);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  received.forEach(verified);
});

it('is abandoned after all attempts, and at once if the receiver refuses it', async () => {
  const failing = await rig(status(500), { backOffMs: [5, 5] });
  failing.delivery.send(EVENT);
  await expect.poll(() => failing.told).toEqual(['unreachable circuit.opened status 500']);
  expect(failing.received).toHaveLength(3);
  const refusing = await rig(status(410));
  refusing.delivery.send(EVENT);
  await expect.poll(() => refusing.told).toEqual(['refused circuit.opened status 410']);
  expect(refusing.received).toHaveLength(1);
});

it('follows no redirect', async () => {
  const {
    received,
    told,
    delivery: sending,
  } = await rig((_nth, response) => response.writeHead(307, { location: '/elsewhere' }).end());
  sending.send(EVENT);
  await expect.poll(() => told).toEqual(['refused circuit.opened status 307']);
  expect(received.map(({ path }) => path)).toEqual(['/hook']);
});

it('goes to the address that its host resolved to', async () => {
  const { told, delivery: sending } = await rig(status(200), { host: 'localhost' });
  sending.send(EVENT);
  await expect.poll(() => told).toEqual(['delivered circuit.opened']);
});

it('is never sent to a link-local address', async () => {
  const { received, told, delivery: sending } = await rig(status(200), { host: '[::ffff:169.254.169.254]' });
  sending.send(EVENT);
  await expect.poll(() => told).toEqual([expect.stringMatching(/^refused circuit\.opened .*is not allowed/)]);
  expect(received).toEqual([]);
});

it('keeps a bounded queue while the receiver hangs, and stops in bounded time', async () => {
  const { received, told, delivery: sending } = await rig(() => undefined, { maxQueued: 10 });
  for (let nth = 0; nth < 25; nth++) sending.send(EVENT);
  expect(told).toEqual(Array.from({ length: 15 }, () => 'queue_full circuit.opened'));
  await expect.poll(() => received.length).toBe(4);
  const before = performance.now();
  await sending.close(100);
  expect(performance.now() - before).toBeLessThan(2_000);
  expect(told.filter((line) => line.startsWith('stopped'))).toHaveLength(6);
  sending.send(EVENT);
  expect(told.at(-1)).toBe('stopped circuit.opened');
});
