import type { Alerts } from '../alerting/create.ts';
import type { Config } from '../config/schema.ts';
import { pendingPerKey, phaseDeadlineMs } from '../config/cross-field-rules.ts';
import { connectRedis, type RedisClient } from '../redis/client.ts';
import { ESCALATION_ANSWERS } from '../redis/keys.ts';
import { subscribe } from '../redis/subscribe.ts';
import type { Logger, SecurityEvents } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createApprovals, type Approvals, type ApprovalsObserver } from './approvals.ts';
import type { Escalation } from './escalation.ts';
import { createRedisEscalationStore } from './redis-store.ts';
import { messageOf } from '../errors.ts';

export interface ApprovalsOnRedisDeps {
  readonly config: Config;
  readonly redis: RedisClient;
  /** Name of the subscriber's connection in Redis's client list. */
  readonly name: string;
  readonly log: Logger;
  readonly auditLog: SecurityEvents;
  readonly metrics: Metrics;
  readonly alerts: Alerts | undefined;
}

/** Creates the approvals of one worker, with a separate connection for published answers. */
export function createApprovalsOnRedis(deps: ApprovalsOnRedisDeps): Approvals {
  const { config, redis, name } = deps;
  const approvals = createApprovals({
    store: createRedisEscalationStore({ client: redis, deadlineMs: phaseDeadlineMs(config) }),
    secret: config.zsp.escalation_secret,
    maxPending: config.zsp.max_pending,
    maxPendingPerKey: pendingPerKey(config),
    observer: approvalsObserver(deps),
  });
  const listener = connectRedis(config.redis, { name, mayBeSilent: true });
  const prefix = ESCALATION_ANSWERS.slice(0, -1);
  void subscribe(listener, ESCALATION_ANSWERS, (channel, message) =>
    approvals.handleAnswer(channel.slice(prefix.length), message),
  );
  return {
    ...approvals,
    close() {
      approvals.close();
      listener.disconnect();
    },
  };
}

function approvalsObserver({ log, auditLog, metrics, alerts }: ApprovalsOnRedisDeps): ApprovalsObserver {
  const fieldsOf = ({ id, key_hash, rules, request_digest }: Escalation) => ({
    escalation_id: id,
    key_hash,
    rules: rules.map(({ rule }) => rule),
    request_digest,
  });
  return {
    opened(escalation) {
      metrics.escalationsPending.inc();
      auditLog.info(fieldsOf(escalation), 'a request is waiting for approval');
      // Webhooks get neither arguments nor prompts, not even masked.
      const { nonce: _nonce, arguments: _arguments, prompt_text: _prompt, ...data } = escalation;
      alerts?.send('escalation', { type: 'escalation.requested', data });
    },
    resolved(escalation, outcome, approver) {
      metrics.escalationsPending.dec();
      metrics.escalations.inc({ outcome });
      const by = approver === undefined ? {} : { approver };
      auditLog.info({ ...fieldsOf(escalation), outcome, ...by }, 'a request for approval has ended');
    },
    refused(reason) {
      metrics.escalations.inc({ outcome: reason });
      const limit = reason === 'full' ? 'zsp.max_pending' : 'zsp.max_pending_per_key';
      log.warn(`${limit} is reached: a request for approval was refused`);
    },
    answerRefused(escalation, fault) {
      metrics.escalationAnswersRefused.inc({ fault });
      auditLog.info({ ...fieldsOf(escalation), fault }, 'an invalid answer to a waiting request was refused');
    },
    notClosed: (cause) =>
      log.warn(
        { cause: messageOf(cause) },
        'Redis was not informed that a request for approval has ended; its record will expire',
      ),
  };
}
