import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { runningGateway } from '../../../cli/running-gateway.ts';
import { gatewayIdentity, type Readiness } from '../../../src/admin/readiness.ts';
import { startAdmin } from '../../../src/admin/server.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { freePort } from '../../support/ports.ts';
import { READY } from '../../support/ready.ts';

/** Findings of `gateway doctor` about the running gateway, over the real admin listener. */

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const asked = (port: number) => runningGateway(defaultConfig({ server: { admin_port: port } }));

async function told(readiness: Readiness, own: object = {}) {
  const port = await freePort();
  const config = defaultConfig({ server: { admin_port: port, ...own } });
  const admin = await startAdmin({
    host: '127.0.0.1',
    port,
    identity: () => gatewayIdentity(config),
    readiness: () => readiness,
    metrics: () => Promise.resolve(''),
  });
  closers.push(() => admin.close());
  return asked(admin.port);
}

it('is ok if one is ready, or none runs', async () => {
  expect(await told(READY)).toEqual({
    isRunning: true,
    status: 'ok',
    message: 'running and ready, 2 workers',
  });
  expect(await asked(await freePort())).toMatchObject({
    isRunning: false,
    status: 'ok',
    message: expect.stringContaining('not running') as string,
  });
});

it('distinguishes another gateway at its port from its own', async () => {
  for (const own of [{ port: 18_443 }, { shadow_mode: true }]) {
    expect(await told(READY, own)).toMatchObject({
      status: 'warn',
      message: expect.stringMatching(/^the gateway at 127\.0\.0\.1:\d+.*--config/) as string,
    });
  }
});

it('fails on a crash loop, even if the gateway is ready between two crashes', async () => {
  expect(await told({ ...READY, crash_loops: ['envoy', 'worker 1'] })).toEqual({
    isRunning: true,
    status: 'fail',
    message: 'envoy, worker 1: in a crash loop; see the log of gateway serve',
  });
});

it('warns about one that is not ready, and names what is missing', async () => {
  const unready: Readiness = { ...READY, ready: false, redis: 'down', workers: { ready: 1, wanted: 2 } };
  expect(await told(unready)).toEqual({
    isRunning: true,
    status: 'warn',
    message: 'running, not ready: Envoy live, Redis down, 1 of 2 workers',
  });
  expect(await told({ ...unready, draining: true })).toMatchObject({
    message: expect.stringContaining('draining') as string,
  });
});

it('warns about any other server at the port', async () => {
  for (const body of ['<html>', '{"ready":true}', '']) {
    const server = createServer((_request, response) => response.end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    expect(await asked(port)).toMatchObject({ status: 'warn' });
  }
});
