/** A process that is silent for longer counts as hung. */
export interface HeartbeatPatience {
  readonly tickMs: number;
  /** Silent ticks allowed once the process serves. */
  readonly ticks: number;
  /** Silent ticks allowed while the process loads. */
  readonly startTicks: number;
}

/** Well above Envoy's `message_timeout`: Envoy has cut the streams of an event loop that is blocked this long. */
export const DEFAULT_PATIENCE: HeartbeatPatience = { tickMs: 1_000, ticks: 15, startTicks: 90 };
export const HEARTBEAT_MS = 1_000;

export interface Heartbeat {
  begin(): void;
  /** Call for each message from the process. */
  beat(): void;
  serves(): void;
  end(): void;
}

/**
 * Calls `onSilent` once when a process has sent nothing for the allowed ticks. It counts ticks, not time: while the
 * supervisor itself is delayed (sleep, shared core) and cannot read messages, no ticks pass.
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
