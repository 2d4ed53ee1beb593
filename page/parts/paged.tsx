import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { withQuery, type Query } from '../api.ts';
import { count } from '../format.ts';
import { useLoaded, type Loaded } from '../loaded.ts';
import { Time } from './basics.tsx';

interface Page {
  readonly items: readonly unknown[];
  readonly next?: string | undefined;
  readonly total?: number;
  readonly as_of?: string;
  readonly complete?: boolean;
}

export interface Paged<T> extends Loaded<T> {
  readonly number: number;
  readonly hasNext: boolean;
  first(): void;
  back(): void;
  forward(): void;
}

const INCOMPLETE_MS = 1_000;

/** Reads a list page by page. A new query starts at the first page. */
export function usePaged<T extends Page>(path: string, query: Query, everyMs?: number): Paged<T> {
  const base = withQuery(path, query);
  const [at, setAt] = useState<{ base: string; cursors: readonly string[] }>({ base, cursors: [] });
  const cursors = at.base === base ? at.cursors : [];
  const [isIncomplete, setIncomplete] = useState(false);
  const interval = isIncomplete ? INCOMPLETE_MS : everyMs;
  const loaded = useLoaded<T>(withQuery(path, { ...query, cursor: cursors.at(-1) }), interval);
  const next = loaded.data?.next;
  useEffect(() => setIncomplete(loaded.data?.complete === false), [loaded.data]);
  return {
    ...loaded,
    number: cursors.length + 1,
    hasNext: next !== undefined,
    first: () => setAt({ base, cursors: [] }),
    back: () => setAt({ base, cursors: cursors.slice(0, -1) }),
    forward: () => {
      if (next !== undefined) setAt({ base, cursors: [...cursors, next] });
    },
  };
}

/** Buttons and counts below a paged list. */
export function Pager({
  paged,
  label = 'Pages',
}: {
  readonly paged: Paged<Page>;
  readonly label?: string;
}): JSX.Element | null {
  const { data, number, hasNext } = paged;
  if (data === undefined) return null;
  return (
    <nav class="pager" aria-label={label}>
      <button type="button" disabled={number === 1} onClick={paged.back}>
        Previous
      </button>
      <span>Page {count(number)}</span>
      <button type="button" disabled={!hasNext} onClick={paged.forward}>
        Next
      </button>
      {data.total !== undefined && <span>{count(data.total)} in total</span>}
      {data.as_of !== undefined && (
        <span class="muted">
          order as of <Time at={data.as_of} />
        </span>
      )}
      {data.complete === false && <span role="status">Still reading keys …</span>}
    </nav>
  );
}
