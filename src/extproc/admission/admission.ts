import { GatewayError, retryAfterMs } from '../../errors.ts';
import type { ProcessingRequest } from '../wire/messages.ts';
import { KeyShares } from './key-shares.ts';
import { keepTicking, LOOP_CLOCKS, LoopDelay, type LoopClocks } from './loop-delay.ts';

/** Multiple of the limit from which on keys with less than an even share are refused as well. */
const SMALL_KEYS_FACTOR = 3;
/** Number of body bytes that cost as much as a request. */
const BYTES_PER_UNIT = 2_048;
/** Four times the time that reading a body takes: a busy worker shares its time. */
const MS_PER_BODY_BYTE = 64 / 32_768;
/** Spreads retries over one to two seconds. */
const RETRY_MS = 1_000;

export type ShedKeys = 'largest' | 'all';

/** Refuses new requests while the worker is overloaded. Open requests continue. */
export interface Admission {
  /** Called when a message from Envoy starts to wait for its reply. */
  began(message: ProcessingRequest): void;
  /** Called when the message is answered, or waits for something other than this worker. */
  answered(message: ProcessingRequest): void;
  /**
   * Refuses a new request if the worker is overloaded.
   * @param caller the credential as received; undefined if there is none
   * @throws GatewayError overloaded
   */
  admit(caller: string | undefined): void;
  /** Counts a request, or its body, of a caller whose credential was accepted. */
  served(caller: string, bodyBytes?: number): void;
  close(): void;
}

export interface AdmissionOptions {
  readonly limitMs: number;
  readonly onShed: (keys: ShedKeys) => void;
  readonly clocks?: LoopClocks;
}

/**
 * Measures the delay of a worker: how late its event loop is, or how long it was busy while its oldest message waited.
 * Idle time does not count: the message was then waiting for Redis, a policy engine or an approval.
 */
export function createAdmission({ limitMs, onShed, clocks = LOOP_CLOCKS }: AdmissionOptions): Admission {
  const loop = new LoopDelay(clocks);
  const shares = new KeyShares(() => clocks.now());
  /** Busy time at which each message becomes late, oldest first. */
  const unanswered = new Map<ProcessingRequest, number>();

  function delayMs(): number {
    const { busyMs, currentMs } = loop;
    const [oldest = busyMs] = unanswered.values();
    return Math.max(currentMs, busyMs - oldest);
  }

  return {
    began: (message) => void unanswered.set(message, loop.busyMs + message.body.length * MS_PER_BODY_BYTE),
    answered: (message) => void unanswered.delete(message),
    admit(caller) {
      const delay = delayMs();
      if (delay < limitMs) return;
      const keys = delay < SMALL_KEYS_FACTOR * limitMs ? 'largest' : 'all';
      if (keys === 'largest' && caller !== undefined && !shares.isLarge(caller)) return;
      onShed(keys);
      throw overloaded();
    },
    served: (caller, bodyBytes) =>
      shares.add(caller, bodyBytes === undefined ? 1 : bodyBytes / BYTES_PER_UNIT),
    close: keepTicking(loop),
  };
}

function overloaded(): GatewayError {
  return new GatewayError('overloaded', 'the gateway is overloaded: try again in a moment', {
    headers: retryAfterMs(RETRY_MS + Math.floor(Math.random() * RETRY_MS)),
  });
}
