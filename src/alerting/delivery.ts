import { randomUUID } from 'node:crypto';
import { ForbiddenAddress } from './address.ts';
import type { AlertEvent } from './event.ts';
import { webhookHeaders } from './sign.ts';
import type { Posting } from './post.ts';

export interface DeliveryDeps {
  readonly url: URL;
  /** Undefined to send messages unsigned. */
  readonly secret: Buffer | undefined;
  readonly post: (posting: Posting) => Promise<number>;
  readonly onDelivered: (type: AlertEvent['type']) => void;
  /** Called when a message is dropped: immediately, after all attempts, or on close. */
  readonly onLost: (type: AlertEvent['type'], why: LossReason, cause: string) => void;
  /** Delays in milliseconds before the second and later attempts, without jitter. */
  readonly backOffMs?: readonly number[];
  readonly maxQueued?: number;
}

/** `refused`: the receiver rejected the message, or its address is forbidden. `unreachable`: all attempts failed. */
export type LossReason = 'refused' | 'unreachable' | 'queue_full' | 'stopped';

export interface Delivery {
  /** Queues the event and returns immediately. */
  send(event: AlertEvent): void;
  close(withinMs: number): Promise<void>;
}

/** Delays before the second and later attempts: about 13 minutes in total, without jitter. */
const BACK_OFF_MS = [1_000, 5_000, 30_000, 120_000, 600_000] as const;
const MAX_QUEUED = 1_000;
const MAX_RUNNING = 4;
const TIMEOUT_MS = 10_000;

interface Message {
  readonly type: AlertEvent['type'];
  readonly id: string;
  readonly body: string;
  attempts: number;
}

/** Delivers messages outside the request path, each with one POST and retries. */
export function createDelivery(deps: DeliveryDeps): Delivery {
  const { url, secret, post, backOffMs = BACK_OFF_MS, maxQueued = MAX_QUEUED } = deps;
  const ready: Message[] = [];
  const later = new Map<NodeJS.Timeout, Message>();
  const running = new Set<Promise<void>>();
  let isClosed = false;

  function start(): void {
    while (running.size < MAX_RUNNING) {
      const message = ready.shift();
      if (message === undefined) return;
      const attempt = attemptOf(message).finally(() => {
        running.delete(attempt);
        start();
      });
      running.add(attempt);
    }
  }

  async function attemptOf(message: Message): Promise<void> {
    message.attempts += 1;
    const headers = webhookHeaders(message, secret, Math.floor(Date.now() / 1_000));
    try {
      const status = await post({ url, headers, body: message.body, timeoutMs: TIMEOUT_MS });
      if (status >= 200 && status < 300) deps.onDelivered(message.type);
      else if (isTemporary(status)) retry(message, `status ${String(status)}`);
      else deps.onLost(message.type, 'refused', `status ${String(status)}`);
    } catch (cause) {
      const why = failureCode(cause);
      if (cause instanceof ForbiddenAddress) deps.onLost(message.type, 'refused', why);
      else retry(message, why);
    }
  }

  function retry(message: Message, cause: string): void {
    const waitMs = backOffMs[message.attempts - 1];
    if (waitMs === undefined) return deps.onLost(message.type, 'unreachable', cause);
    if (isClosed) return deps.onLost(message.type, 'stopped', cause);
    const timer = setTimeout(
      () => {
        later.delete(timer);
        ready.push(message);
        start();
      },
      waitMs * (1 + Math.random() / 4),
    );
    timer.unref();
    later.set(timer, message);
  }

  return {
    send(event) {
      if (isClosed || ready.length + later.size + running.size >= maxQueued) {
        deps.onLost(event.type, isClosed ? 'stopped' : 'queue_full', '');
        return;
      }
      const { type, data } = event;
      const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data });
      ready.push({ type, id: `msg_${randomUUID()}`, body, attempts: 0 });
      start();
    },
    async close(withinMs) {
      isClosed = true;
      for (const [timer, { type }] of later) {
        clearTimeout(timer);
        deps.onLost(type, 'stopped', '');
      }
      later.clear();
      const end = Promise.withResolvers<'late'>();
      const timer = setTimeout(end.resolve, withinMs, 'late');
      while (running.size > 0) {
        if ((await Promise.race([Promise.all(running), end.promise])) === 'late') break;
      }
      clearTimeout(timer);
      for (const { type } of ready.splice(0)) deps.onLost(type, 'stopped', '');
    },
  };
}

function isTemporary(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

/** Returns an error's code instead of its message, which may contain the URL with a credential. */
function failureCode(cause: unknown): string {
  if (cause instanceof ForbiddenAddress) return cause.message;
  if (!(cause instanceof Error)) return '';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
