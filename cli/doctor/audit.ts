import { openReceivers } from '../../src/audit/open-receivers.ts';
import type { Config } from '../../src/config/schema.ts';
import { messageOf } from '../../src/errors.ts';
import { gatewayMetrics } from '../running-gateway.ts';
import { fail, off, ok, warn, type Diagnosis } from './finding.ts';

/** Tries each receiver of audit records, and reports the records that a gateway running here has lost. */
export async function diagnoseAudit(config: Config): Promise<Diagnosis[]> {
  const { audit } = config;
  if (!audit.enabled) return [off('audit', 'off (audit.enabled: false)')];
  const places = [
    'Redis',
    ...(audit.stdout ? ['standard output'] : []),
    ...(audit.file === '' ? [] : [audit.file]),
  ];
  const [receivers, lost] = await Promise.all([probeReceivers(audit), lostRecords(config)]);
  return [ok('audit', `on: ${places.join(', ')}`), ...receivers, ...lost];
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
        return ok('audit', `${named} takes records`);
      } catch (error) {
        return fail('audit', `${named} takes no records (${messageOf(error)})`);
      } finally {
        receiver.close();
      }
    }),
  );
}

const LOST = /^gateway_audit_records_total\{([^}]{0,200})\} (\d{1,15})$/gm;

async function lostRecords(config: Config): Promise<Diagnosis[]> {
  const metrics = (await gatewayMetrics(config)) ?? '';
  return [...metrics.matchAll(LOST)].flatMap(([, labels = '', records = '0']) => {
    const sink = /sink="([a-z]{1,20})"/.exec(labels)?.[1];
    if (!labels.includes('outcome="dropped"') || records === '0' || sink === undefined) return [];
    return [warn('audit', `${sink}: the gateway has lost ${records} records since it started; see its log`)];
  });
}
