import { signal } from '@preact/signals';

/** The place in the page, kept in the fragment: `#/keys/<id>?search=ci`. The server sees none of it. */
export interface Route {
  /** First segment, `now` for an empty fragment. */
  readonly view: string;
  /** Second segment, decoded. */
  readonly id: string | undefined;
  readonly query: URLSearchParams;
}

export const route = signal<Route>(parseRoute(location.hash));

function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#\/?/, '').split('?', 2);
  const [view = '', id] = path.split('/').map(decoded);
  return { view: view === '' ? 'now' : view, id, query: new URLSearchParams(query) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // typed by hand
  }
}

/** Returns the address of a view for a link. Empty values of the query are left out. */
export function href(view: string, id?: string, query: Readonly<Record<string, string>> = {}): string {
  const path = [view, ...(id === undefined ? [] : [id])].map(encodeURIComponent).join('/');
  const given = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return given.size === 0 ? `#/${path}` : `#/${path}?${given.toString()}`;
}

/** Changes the query of the present view, without a new entry in the browser's history. */
export function replaceQuery(query: Readonly<Record<string, string>>): void {
  const { view, id } = route.value;
  history.replaceState(null, '', href(view, id, query));
  route.value = parseRoute(location.hash);
}

/** Whether the reader has moved within the page, rather than opened it. */
export const hasMoved = signal(false);

addEventListener('hashchange', () => {
  hasMoved.value = true;
  route.value = parseRoute(location.hash);
});
