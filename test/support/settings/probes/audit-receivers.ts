import { openReceivers, type ReceiverName } from '../../../../src/audit/open-receivers.ts';
import type { AuditReceiver } from '../../../../src/audit/receiver.ts';
import { messageOf } from '../../../../src/errors.ts';
import { createTestCa } from '../../certs.ts';
import { startOtlpLogReceiver } from '../../otlp-log-receiver.ts';
import { startSyslogServer } from '../../syslog-server.ts';
import type { Probes, See } from '../probe.ts';

const ca = await createTestCa();
const otherCa = await createTestCa();
process.once('exit', () => {
  ca.close();
  otherCa.close();
});
const server = await ca.issue('receiver', ['siem.test', 'localhost']);
const [one, other] = [await ca.issue('one'), await ca.issue('other')];
const syslog = await startSyslogServer(server);
const otlp = await startOtlpLogReceiver(server);
const RECORD = JSON.stringify({ class_uid: 6003, severity_id: 1, severity: 'Informational', time: 1 });

/** Sends a record; observes what arrived: a value, or why nothing did. */
function sent(name: ReceiverName, arrived: () => unknown): See {
  return async ({ config }) => {
    let receiver: AuditReceiver | undefined;
    try {
      receiver = (await openReceivers(config.audit)).get(name);
      if (receiver === undefined) return 'none';
      await receiver.send([RECORD]);
      return await arrived();
    } catch (error) {
      return /self.signed|unable to|altnames|signature failure/i.test(messageOf(error))
        ? 'not trusted'
        : messageOf(error);
    } finally {
      receiver?.close();
    }
  };
}

const isSent = (): unknown => 'sent';
async function priority(): Promise<unknown> {
  const before = syslog.messages.length;
  for (let tries = 0; syslog.messages.length === before && tries < 50; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return syslog.messages.at(before)?.priority;
}

const OTLP = { endpoint: otlp.url, ca_file: ca.caFile };
const SYSLOG = { address: syslog.address, ca_file: ca.caFile };
const otherKey = (path: string): string =>
  `audit.${path}.key_file is not the key of the first certificate in cert_file`;

export const auditReceiverProbes: Probes = {
  'audit.otlp.endpoint': {
    with: { audit: { otlp: { ca_file: ca.caFile } } },
    values: ['', otlp.url],
    see: sent('otlp', isSent),
    expected: ['none', 'sent'],
  },
  'audit.otlp.headers.*': {
    at: ['audit', 'otlp', 'headers', 'X-Tenant'],
    with: { audit: { otlp: OTLP } },
    values: ['one', 'two'],
    see: sent('otlp', () => otlp.headers.at(-1)?.['x-tenant']),
    expected: ['one', 'two'],
  },
  'audit.otlp.ca_file': {
    with: { audit: { otlp: { endpoint: otlp.url } } },
    values: [ca.caFile, otherCa.caFile],
    see: sent('otlp', isSent),
    expected: ['sent', 'not trusted'],
  },
  'audit.otlp.cert_file': {
    with: { audit: { otlp: { ...OTLP, key_file: one.keyFile } } },
    values: [one.certFile, other.certFile],
    see: sent('otlp', isSent),
    expected: ['sent', otherKey('otlp')],
  },
  'audit.otlp.key_file': {
    with: { audit: { otlp: { ...OTLP, cert_file: one.certFile } } },
    values: [other.keyFile, one.keyFile],
    see: sent('otlp', isSent),
    expected: [otherKey('otlp'), 'sent'],
  },
  'audit.syslog.address': {
    with: { audit: { syslog: { ca_file: ca.caFile } } },
    values: ['', syslog.address],
    see: sent('syslog', isSent),
    expected: ['none', 'sent'],
  },
  'audit.syslog.tls': {
    with: { audit: { syslog: SYSLOG } },
    values: [true, false],
    see: sent('syslog', priority),
    expected: [110, undefined],
  },
  'audit.syslog.facility': {
    with: { audit: { syslog: SYSLOG } },
    values: [10, undefined],
    see: sent('syslog', priority),
    expected: [86, 110],
  },
  'audit.syslog.server_name': {
    with: { audit: { syslog: SYSLOG } },
    values: ['siem.test', 'other.test'],
    see: sent('syslog', isSent),
    expected: ['sent', 'not trusted'],
  },
  'audit.syslog.ca_file': {
    with: { audit: { syslog: { address: syslog.address } } },
    values: [ca.caFile, otherCa.caFile],
    see: sent('syslog', isSent),
    expected: ['sent', 'not trusted'],
  },
  'audit.syslog.cert_file': {
    with: { audit: { syslog: { ...SYSLOG, key_file: one.keyFile } } },
    values: [one.certFile, other.certFile],
    see: sent('syslog', isSent),
    expected: ['sent', otherKey('syslog')],
  },
  'audit.syslog.key_file': {
    with: { audit: { syslog: { ...SYSLOG, cert_file: one.certFile } } },
    values: [other.keyFile, one.keyFile],
    see: sent('syslog', isSent),
    expected: [otherKey('syslog'), 'sent'],
  },
};
