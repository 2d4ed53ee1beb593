import { afterEach, expect, it } from 'vitest';
import { diagnoseAudit } from '../../../cli/doctor/audit.ts';
import { gatewayIdentity } from '../../../src/admin/readiness.ts';
import { startAdmin } from '../../../src/admin/server.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { startOtlpLogReceiver } from '../../support/otlp-log-receiver.ts';
import { freePort } from '../../support/ports.ts';
import { READY } from '../../support/ready.ts';
import { startSyslogServer } from '../../support/syslog-server.ts';

/** Findings of `gateway doctor` about the audit trail, over real receivers and the real admin listener. */

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

it('tries each receiver', async () => {
  const [syslog, otlp] = [await startSyslogServer(), await startOtlpLogReceiver()];
  closers.push(otlp.close);
  const audit = {
    enabled: true,
    syslog: { address: syslog.address, tls: false },
    otlp: { endpoint: otlp.url },
  };
  const config = defaultConfig({ server: { admin_port: await freePort() }, audit });
  expect(await diagnoseAudit(config)).toEqual([
    { check: 'audit', status: 'ok', message: 'on: Redis, standard output' },
    { check: 'audit', status: 'ok', message: `audit.otlp: ${otlp.url} can be reached` },
    { check: 'audit', status: 'ok', message: `audit.syslog: ${syslog.address} can be reached` },
  ]);
  await syslog.close();
  expect((await diagnoseAudit(config)).at(-1)).toMatchObject({
    status: 'fail',
    message: expect.stringMatching(/^audit.syslog: .* does not accept records \(.*ECONNREFUSED/) as string,
  });
});

it('warns about records that a running gateway has lost', async () => {
  const metrics = createMetrics();
  metrics.auditRecords.inc({ sink: 'syslog', outcome: 'dropped' }, 7);
  metrics.auditRecords.inc({ sink: 'file', outcome: 'dropped' }, 0);
  metrics.auditRecords.inc({ sink: 'stream', outcome: 'written' }, 9);
  const port = await freePort();
  const config = defaultConfig({ server: { admin_port: port }, audit: { enabled: true } });
  const admin = await startAdmin({
    host: '127.0.0.1',
    port,
    identity: () => gatewayIdentity(config),
    readiness: () => READY,
    metrics: () => metrics.registry.metrics(),
  });
  closers.push(() => admin.close());
  expect((await diagnoseAudit(config)).filter(({ status }) => status !== 'ok')).toEqual([
    {
      check: 'audit',
      status: 'warn',
      message: "syslog: records lost since the gateway started: 7; see the gateway's log",
    },
  ]);
});

it('reports that the trail is off', async () => {
  expect(await diagnoseAudit(defaultConfig())).toEqual([
    { check: 'audit', status: 'off', message: 'off (audit.enabled: false)' },
  ]);
});
