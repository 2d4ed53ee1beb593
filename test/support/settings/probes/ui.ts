import { setTimeout as delay } from 'node:timers/promises';

import { pemFiles } from '../../../../src/certificates/files.ts';
import { allowedOrigins } from '../../../../src/operator/guard.ts';
import { startTestPage } from '../../operator/page.ts';
import { appendRecords, requestRecord } from '../../operator/records.ts';
import { freePort } from '../../ports.ts';
import type { Bench, Probes, See } from '../probe.ts';

const PORT = await freePort();
const OTHER_PORT = await freePort();
const TLS = { cert_file: '/c.pem', key_file: '/k.pem' };

/** Reports at which of these addresses the page of this configuration answers. */
function answersAt(...addresses: readonly (readonly [host: string, port: number])[]): See {
  return async ({ config, redis }) => {
    const { host, port } = config.ui;
    const page = await startTestPage(redis, { ui: { host, port } });
    try {
      return await Promise.all(
        addresses.map(([host, port]) =>
          fetch(`http://${host}:${String(port)}/`).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      );
    } finally {
      await page.close();
    }
  };
}

/** Reports whether a session is still valid after a while with this many uses, and after a pause. */
function countsAfter(uses: number, pauseMs: number): See {
  return async ({ config, redis }: Bench) => {
    const { idle, absolute } = config.ui.session;
    const session = { idle: `${String(idle)}ms`, absolute: `${String(absolute)}ms` };
    const page = await startTestPage(redis, { ui: { session } });
    try {
      const visitor = await page.visitor({});
      for (let use = 0; use < uses; use++) {
        await delay(150);
        await visitor.ask('/api/me');
      }
      await delay(pauseMs);
      return (await visitor.ask('/api/me')).status;
    } finally {
      await page.close();
    }
  };
}

/** Returns the link to the trace of a request that was traced. */
const traceLink: See = async ({ config, redis }) => {
  const page = await startTestPage(redis, { otel: { viewer_url: config.otel.viewer_url } });
  try {
    const traced = requestRecord({ keyHash: 'sha256:0', name: 'planner' }, 'traced', {
      unmapped: { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' },
    });
    await appendRecords(redis, [traced]);
    return (await (await page.visitor({})).ask('/api/requests/traced')).json()['trace_url'];
  } finally {
    await page.close();
  }
};

export const uiProbes: Probes = {
  'otel.viewer_url': {
    values: ['', 'https://traces.example/{trace_id}'],
    see: traceLink,
    expected: [null, 'https://traces.example/4bf92f3577b34da6a3ce929d0e0e4736'],
  },
  'ui.enabled': {
    with: { ui: { tls: TLS } },
    values: [false, true],
    see: ({ config }) => Promise.resolve(pemFiles(config).map(({ path }) => path)),
    expected: [[], ['ui.tls']],
  },
  'ui.host': {
    with: { ui: { enabled: true, port: PORT } },
    values: ['127.0.0.1', '127.0.0.2'],
    see: answersAt(['127.0.0.1', PORT], ['127.0.0.2', PORT]),
    expected: [
      [true, false],
      [false, true],
    ],
  },
  'ui.port': {
    with: { ui: { enabled: true } },
    values: [PORT, OTHER_PORT],
    see: answersAt(['127.0.0.1', PORT], ['127.0.0.1', OTHER_PORT]),
    expected: [
      [true, false],
      [false, true],
    ],
  },
  'ui.public_url': {
    with: { ui: { enabled: true } },
    values: ['http://localhost:1', 'https://localhost:2'],
    see: ({ config }) => Promise.resolve([...allowedOrigins(config)].at(-1)),
    expected: ['http://localhost:1', 'https://localhost:2'],
  },
  'ui.tls.cert_file': {
    with: { ui: { enabled: true, tls: TLS } },
    values: ['/one.pem', '/two.pem'],
    see: ({ config }) => Promise.resolve(pemFiles(config)[0]?.cert_file),
    expected: ['/one.pem', '/two.pem'],
  },
  'ui.tls.key_file': {
    with: { ui: { enabled: true, tls: TLS } },
    values: ['/one.pem', '/two.pem'],
    see: ({ config }) => Promise.resolve(pemFiles(config)[0]?.key_file),
    expected: ['/one.pem', '/two.pem'],
  },
  'ui.session.idle': {
    with: { ui: { session: { absolute: '10s' } } },
    values: ['200ms', '10s'],
    see: countsAfter(0, 450),
    expected: [401, 200],
  },
  'ui.session.absolute': {
    with: { ui: { session: { idle: '600ms' } } },
    values: ['600ms', '60s'],
    see: countsAfter(5, 50),
    expected: [401, 200],
  },
};
