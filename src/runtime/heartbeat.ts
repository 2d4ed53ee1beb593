/** How long a process may be silent before it is held to hang. */
export interface HeartbeatPatience {
  readonly tickMs: number;
  /** Ticks without a word of one that has served. */
  readonly ticks: number;
  /** The same of one that still loads. */
  readonly startTicks: number;
}

/**
 * An event loop that stands still so long serves nobody: Envoy has long cut its streams. Well over `message_timeout`, in
 * which a loop that was only late would still have answered.
 */
export const DEFAULT_PATIENCE: HeartbeatPatience = { tickMs: 1_000, ticks: 15, startTicks: 90 };
/** How often a worker says that it lives. */
export const HEARTBEAT_MS = 1_000;

/** Watches one process after the other. */
export interface Heartbeat {
  /** A fresh process is to be watched. */
  begin(): void;
  /** It said something. */
  heard(): void;
  /** It serves. */
  serves(): void;
  /** There is none to be watched. */
  end(): void;
}

/**
 * Calls `onSilent` once where a process has said nothing for so many ticks. Time is counted in ticks, of which a supervisor
 * that was held up itself (a machine that slept, a core that it shares) has none: what it could not read yet is nobody's
 * silence.
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
    heard() {
      silentTicks = 0;
    },
    serves() {
      mostTicks = patience.ticks;
    },
    end,
  };
}
