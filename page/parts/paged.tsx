import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { withQuery, type Query } from '../api.ts';
import { count } from '../format.ts';
import { useLoaded, type Loaded } from '../loaded.ts';
import { Answer } from './answer.tsx';
import { Empty, Time } from './basics.tsx';

interface Page<Row> {
  readonly items: readonly Row[];
  readonly next?: string | undefined;
  readonly total?: number;
  readonly as_of?: string;
  readonly complete?: boolean;
}

export interface Paged<Row> extends Loaded<Page<Row>> {
  readonly number: number;
  readonly hasNext: boolean;
  back(): void;
  forward(): void;
}

const INCOMPLETE_MS = 1_000;

/** Reads a list page by page. A new query starts at the first page. */
export function usePaged<Row>(path: string, query: Query, everyMs?: number): Paged<Row> {
  const base = withQuery(path, query);
  const [at, setAt] = useState<{ base: string; cursors: readonly string[] }>({ base, cursors: [] });
  const cursors = at.base === base ? at.cursors : [];
  const [isIncomplete, setIncomplete] = useState(false);
  const interval = isIncomplete ? INCOMPLETE_MS : everyMs;
  const loaded = useLoaded<Page<Row>>(withQuery(path, { ...query, cursor: cursors.at(-1) }), interval);
  const next = loaded.data?.next;
  useEffect(() => setIncomplete(loaded.data?.complete === false), [loaded.data]);
  return {
    ...loaded,
    number: cursors.length + 1,
    hasNext: next !== undefined,
    back: () => setAt({ base, cursors: cursors.slice(0, -1) }),
    forward: () => {
      if (next !== undefined) setAt({ base, cursors: [...cursors, next] });
    },
  };
}

interface ListProps<Row> {
  readonly paged: Paged<Row>;
  /** Shown instead of an empty page. */
  readonly empty: ComponentChildren;
  /** Accessible name of the pager, if the view has several lists. */
  readonly label?: string;
  readonly children: (rows: readonly Row[]) => ComponentChildren;
}

export function PagedList<Row>({ paged, empty, label, children }: ListProps<Row>) {
  return (
    <>
      <Answer loaded={paged}>
        {({ items }) => (items.length === 0 ? <Empty>{empty}</Empty> : children(items))}
      </Answer>
      <Pager paged={paged} {...(label !== undefined && { label })} />
    </>
  );
}

export function Pager({ paged, label = 'Pages' }: Pick<ListProps<unknown>, 'paged' | 'label'>) {
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
