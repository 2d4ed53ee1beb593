/** Time without messages after which a process counts as hung. */
export interface HeartbeatPatience {
  readonly tickMs: number;
  /** Number of silent ticks allowed once the process serves. */
  readonly ticks: number;
  /** Number of silent ticks allowed while the process loads. */
  readonly startTicks: number;
}

/** Well above Envoy's `message_timeout`, so that Envoy has already cut off the streams of a hung event loop. */
export const DEFAULT_PATIENCE: HeartbeatPatience = { tickMs: 1_000, ticks: 15, startTicks: 90 };
export const HEARTBEAT_MS = 1_000;

export interface Heartbeat {
  begin(): void;
  /** Must be called for each message from the process. */
  beat(): void;
  serves(): void;
  end(): void;
}

/**
 * Calls `onSilent` once if a process has sent nothing for the allowed number of ticks. Counts ticks instead of time,
 * because no ticks occur while the supervisor itself is delayed (sleep, shared core) and cannot receive messages.
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
