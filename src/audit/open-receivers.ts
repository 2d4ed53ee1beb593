import type { Config } from '../config/schema.ts';
import { messageOf } from '../errors.ts';
import type { AuditReceiver } from './receiver.ts';

export type ReceiverName = 'otlp' | 'syslog';

/** @throws Error if a certificate file cannot be used */
export async function openReceivers(
  audit: Config['audit'],
): Promise<ReadonlyMap<ReceiverName, AuditReceiver>> {
  const receivers = new Map<ReceiverName, AuditReceiver>();
  if (audit.otlp.endpoint !== '') {
    const { createOtlpReceiver } = await import('./otlp-receiver.ts');
    receivers.set('otlp', createOtlpReceiver(audit.otlp));
  }
  if (audit.syslog.address !== '') {
    const { createSyslogReceiver } = await import('./syslog-receiver.ts');
    receivers.set('syslog', createSyslogReceiver(audit.syslog));
  }
  return receivers;
}

/** @throws Error that names the receivers that failed */
export async function sendToReceivers(audit: Config['audit'], line: string): Promise<void> {
  const receivers = await openReceivers(audit);
  const failures = await Promise.all(
    [...receivers].map(async ([name, receiver]) => {
      try {
        const rejected = await receiver.send([line]);
        return rejected === undefined ? [] : [`audit.${name}: ${rejected.cause.message}`];
      } catch (cause) {
        return [`audit.${name}: ${messageOf(cause)}`];
      } finally {
        receiver.close();
      }
    }),
  );
  const all = failures.flat();
  if (all.length > 0) throw new Error(all.join('; '));
}
