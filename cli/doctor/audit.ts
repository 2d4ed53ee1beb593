import { openReceivers } from '../../src/audit/open-receivers.ts';
import type { Config } from '../../src/config/schema.ts';
import { messageOf } from '../../src/errors.ts';
import { gatewayMetrics, readSeries } from '../running-gateway.ts';
import { fail, off, ok, warn, type Diagnosis } from './finding.ts';

/** Tests each audit receiver, and reports records that the gateway on this machine has lost. */
export async function diagnoseAudit(config: Config): Promise<Diagnosis[]> {
  const { audit } = config;
  if (!audit.enabled) return [off('audit', 'off (audit.enabled: false)')];
  const sinks = [
    'Redis',
    ...(audit.stdout ? ['standard output'] : []),
    ...(audit.file === '' ? [] : [audit.file]),
  ];
  const [receivers, lost] = await Promise.all([probeReceivers(audit), lostRecords(config)]);
  return [ok('audit', `on: ${sinks.join(', ')}`), ...receivers, ...lost];
}

async function probeReceivers(audit: Config['audit']): Promise<Diagnosis[]> {
  let receivers: Awaited<ReturnType<typeof openReceivers>>;
  try {
    receivers = await openReceivers(audit);
  } catch (error) {
    return [fail('audit', messageOf(error))];
  }
  const addresses = { otlp: audit.otlp.endpoint, syslog: audit.syslog.address };
  return Promise.all(
    [...receivers].map(async ([name, receiver]) => {
      const named = `audit.${name}: ${addresses[name]}`;
      try {
        await receiver.probe();
        return ok('audit', `${named} can be reached`);
      } catch (error) {
        return fail('audit', `${named} does not accept records (${messageOf(error)})`);
      } finally {
        receiver.close();
      }
    }),
  );
}

async function lostRecords(config: Config): Promise<Diagnosis[]> {
  const series = readSeries((await gatewayMetrics(config)) ?? '', 'gateway_audit_records_total');
  return series.flatMap(({ labels: { sink = '', outcome }, value }) =>
    outcome === 'dropped' && value > 0
      ? [
          warn(
            'audit',
            `${sink}: records lost since the gateway started: ${String(value)}; see the gateway's log`,
          ),
        ]
      : [],
  );
}
