import { expect } from 'vitest';

import { envoyBootstrap } from '../../../../src/envoy/render.ts';
import { serve } from '../../../../src/serve.ts';
import { createLogger } from '../../../../src/telemetry/logger.ts';
import { messageOf } from '../../../../src/errors.ts';
import { startGateway, type TestGateway } from '../../gateway.ts';
import { freePort } from '../../ports.ts';
import type { Bench, Probes, See } from '../probe.ts';

const ADMIN_PORT = await freePort();
const OTHER_ADMIN_PORT = await freePort();
const EXTPROC = { address: `127.0.0.1:${String(await freePort())}`, token: '0123456789abcdef' };
/** Workers and the admin listener, without an Envoy of ours. */
const NO_ENVOY = {
  envoy: { managed: false },
  server: { port: await freePort(), admin_port: ADMIN_PORT, extproc: EXTPROC },
};

/** Starts a whole gateway in this process, and reports the result. */
function served(see: () => Promise<unknown>): See {
  return async ({ config }) => {
    try {
      const gateway = await serve({
        config,
        renderEnvoy: (layout) => Promise.resolve(JSON.stringify(envoyBootstrap(config, layout))),
        environment: process.env,
        log: createLogger('silent', {}, { write: () => undefined }),
        onEnvoyLine: () => undefined,
      });
      try {
        return await see();
      } finally {
        await gateway.kill();
      }
    } catch (error) {
      return messageOf(error);
    }
  };
}

async function answers(host: string, port: number): Promise<boolean> {
  return fetch(`http://${host}:${String(port)}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Runs `gateway serve` and a request; observes whether a matching line was printed. */
function printed(line: RegExp): See {
  return async ({ redis, config }: Bench) => {
    const gateway: TestGateway = await startGateway({
      redis,
      config: {
        server: { log_level: config.server.log_level },
        audit: { enabled: config.audit.enabled, stdout: config.audit.stdout },
      },
    });
    try {
      await fetch(`${gateway.baseUrl}/openai/v1/models`);
    } finally {
      await gateway.stop();
    }
    return line.test(gateway.logs());
  };
}

export const processProbes: Probes = {
  'server.admin_host': {
    with: NO_ENVOY,
    values: ['127.0.0.1', '127.0.0.2'],
    see: served(async () => [await answers('127.0.0.1', ADMIN_PORT), await answers('127.0.0.2', ADMIN_PORT)]),
    expected: [
      [true, false],
      [false, true],
    ],
  },
  'server.admin_port': {
    with: NO_ENVOY,
    values: [ADMIN_PORT, OTHER_ADMIN_PORT],
    see: served(async () => [
      await answers('127.0.0.1', ADMIN_PORT),
      await answers('127.0.0.1', OTHER_ADMIN_PORT),
    ]),
    expected: [
      [true, false],
      [false, true],
    ],
  },
  'envoy.managed': {
    with: { ...NO_ENVOY, envoy: { path: '/nowhere/envoy' } },
    values: [false, true],
    see: served(() => answers('127.0.0.1', ADMIN_PORT)),
    expected: [true, expect.stringContaining('/nowhere/envoy')],
  },
  'envoy.path': {
    with: { server: NO_ENVOY.server },
    values: ['/nowhere/envoy', '/elsewhere/envoy'],
    see: served(() => Promise.resolve('started')),
    expected: [expect.stringContaining('/nowhere/envoy'), expect.stringContaining('/elsewhere/envoy')],
  },
  'server.log_level': {
    values: ['info', 'error'],
    see: printed(/"level":"info".*Redis is available/),
    expected: [true, false],
  },
  'audit.stdout': {
    values: [true, false],
    see: printed(/"class_uid":6003/),
    expected: [true, false],
  },
};
