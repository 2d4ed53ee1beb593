/** How long a process may be silent before it counts as hung. */
export interface HeartbeatPatience {
  readonly tickMs: number;
  /** Allowed silent ticks once the process serves. */
  readonly ticks: number;
  /** Allowed silent ticks while the process loads. */
  readonly startTicks: number;
}

/**
 * Envoy cuts the streams of an event loop that is blocked this long (envoy/clusters). The limit is well above
 * `message_timeout`, so a merely slow loop would still answer in time.
 */
export const DEFAULT_PATIENCE: HeartbeatPatience = { tickMs: 1_000, ticks: 15, startTicks: 90 };
/** Interval between a worker's heartbeats. */
export const HEARTBEAT_MS = 1_000;

/** Watches one process at a time. */
export interface Heartbeat {
  /** Starts to watch a new process. */
  begin(): void;
  /** Records a message from the process. */
  beat(): void;
  /** Records that the process serves now. */
  serves(): void;
  /** Stops watching. */
  end(): void;
}

/**
 * Calls `onSilent` once when a process has sent nothing for the allowed ticks. Counting ticks instead of time protects
 * against a delayed supervisor (sleep, shared core): while it cannot read messages, no ticks pass either.
 */
export function watchHeartbeat(patience: HeartbeatPatience, onSilent: () => void): Heartbeat {
  let timer: NodeJS.Timeout | undefined;
  let silentTicks = 0;
  let mostTicks = patience.startTicks;
  function end(): void {
    clearInterval(timer);
    timer = undefined;
  }
  return {
    begin() {
      end();
      silentTicks = 0;
      mostTicks = patience.startTicks;
      timer = setInterval(() => {
        silentTicks += 1;
        if (silentTicks < mostTicks) return;
        end();
        onSilent();
      }, patience.tickMs);
      timer.unref();
    },
    beat() {
      silentTicks = 0;
    },
    serves() {
      mostTicks = patience.ticks;
    },
    end,
  };
}
