import { useEffect, useRef, useState } from 'preact/hooks';

import type { Decision } from '../src/operator/api/schemas/traffic.ts';
import { asError, loadMe, read, withQuery, type Query } from './api.ts';

const MAX_ROWS = 200;
const RETRY_MS = 2_000;

export interface Live {
  readonly rows: readonly Decision[];
  /** Number of decisions that arrived while the list was paused. */
  readonly waiting: number;
  readonly isConnected: boolean;
  readonly problem: Error | undefined;
}

interface Decisions {
  /** Newest first. */
  readonly rows: readonly Decision[];
  readonly waiting: readonly Decision[];
}

const NOTHING: Decisions = { rows: [], waiting: [] };

/** Follows decisions. While `isPaused`, new decisions are kept out of the list. */
export function useLive(query: Query, isPaused: boolean): Live {
  const [seen, setSeen] = useState<Decisions>(NOTHING);
  const [isConnected, setConnected] = useState(false);
  const [problem, setProblem] = useState<Error>();
  const paused = useRef(isPaused);
  paused.current = isPaused;
  const path = withQuery('/api/decisions/live', query);

  useEffect(() => {
    if (!isPaused) setSeen(({ rows, waiting }) => ({ rows: merged(waiting, rows), waiting: [] }));
  }, [isPaused]);

  useEffect(() => {
    setSeen(NOTHING);
    return follow(path, withQuery('/api/decisions', { ...query, limit: 50 }), {
      onOpen: (past) => {
        setConnected(true);
        setProblem(undefined);
        setSeen(({ rows, waiting }) => ({ rows: merged(rows, past), waiting }));
      },
      onDecision: (decision) =>
        setSeen(({ rows, waiting }) =>
          paused.current
            ? { rows, waiting: merged([decision], waiting) }
            : { rows: merged([decision], rows), waiting },
        ),
      onLost: (why) => {
        setConnected(false);
        if (why !== undefined) setProblem(why);
      },
    });
  }, [path]);

  return { rows: seen.rows, waiting: seen.waiting.length, isConnected, problem };
}

interface Listener {
  onOpen(past: readonly Decision[]): void;
  onDecision(decision: Decision): void;
  onLost(why: Error | undefined): void;
}

/** Opens the stream before reading past decisions, so that no decision is missed. Returns a function that stops it. */
function follow(path: string, pastPath: string, listener: Listener): () => void {
  let source: EventSource;
  let timer: number | undefined;
  const abort = new AbortController();
  function open(): void {
    source = new EventSource(path);
    source.onmessage = ({ data }) => listener.onDecision(JSON.parse(String(data)) as Decision);
    source.onopen = () => void readPast();
    source.onerror = () => {
      listener.onLost(undefined);
      // The browser reconnects automatically, except after an error response.
      if (source.readyState === EventSource.CLOSED) timer = window.setTimeout(() => void again(), RETRY_MS);
    };
  }
  async function readPast(): Promise<void> {
    try {
      const { items } = await read<{ items: Decision[] }>(pastPath, abort.signal);
      if (!abort.signal.aborted) listener.onOpen(items);
    } catch (error) {
      if (!abort.signal.aborted) listener.onLost(asError(error));
    }
  }
  async function again(): Promise<void> {
    try {
      // Shows the sign-in page if the session has ended; otherwise the gateway is down.
      await loadMe();
    } catch (error) {
      listener.onLost(asError(error));
    }
    if (!abort.signal.aborted) open();
  }
  open();
  return () => {
    abort.abort();
    clearTimeout(timer);
    source.close();
  };
}

/** Joins two lists, newest first, without duplicates. */
function merged(newer: readonly Decision[], older: readonly Decision[]): readonly Decision[] {
  const known = new Set(newer.map(({ id }) => id));
  return [...newer, ...older.filter(({ id }) => !known.has(id))].slice(0, MAX_ROWS);
}
