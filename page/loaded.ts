import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { asError, ProblemError, read } from './api.ts';

const RETRY_MS = 3_000;

export interface Loaded<T> {
  /** The last answer, kept while a newer one is loading or has failed. */
  readonly data: T | undefined;
  /** Why the last attempt failed. */
  readonly problem: Error | undefined;
  reload(): void;
}

/** Reads an API path: every `everyMs` while the page is visible, and soon after temporary failures. */
export function useLoaded<T>(path: string | undefined, everyMs?: number): Loaded<T> {
  const [state, setState] = useState<{ path?: string; data?: T; problem?: Error }>({});
  const [attempt, setAttempt] = useState(0);
  const timer = useRef<number>(undefined);

  useEffect(() => {
    if (path === undefined) return undefined;
    const abort = new AbortController();
    function again(ms: number | undefined): void {
      if (ms === undefined) return;
      timer.current = window.setTimeout(() => {
        if (document.hidden) again(ms);
        else void load(true);
      }, ms);
    }
    async function load(isRepeated = false): Promise<void> {
      try {
        const data = await read<T>(path ?? '', abort.signal, isRepeated);
        if (abort.signal.aborted) return;
        setState({ path: path ?? '', data });
        again(everyMs);
      } catch (error) {
        if (abort.signal.aborted) return;
        const problem = asError(error);
        setState((before) => ({ ...(before.path === path && before), path: path ?? '', problem }));
        again(isTemporary(problem) ? RETRY_MS : everyMs);
      }
    }
    void load();
    return () => {
      abort.abort();
      clearTimeout(timer.current);
    };
  }, [path, everyMs, attempt]);

  const reload = useCallback(() => setAttempt((number) => number + 1), []);
  const isCurrent = state.path === path;
  return { data: isCurrent ? state.data : undefined, problem: isCurrent ? state.problem : undefined, reload };
}

function isTemporary(problem: Error): boolean {
  return problem instanceof ProblemError && (problem.status === 0 || problem.status === 503);
}

/** Returns the current time, and renders again every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
