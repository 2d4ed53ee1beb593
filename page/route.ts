import { signal } from '@preact/signals';

/** Location in the page, parsed from a fragment such as `#/keys/<id>?search=ci`. Browsers do not send fragments. */
export interface Route {
  /** First segment; `now` for an empty fragment. */
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

/** Returns the link to a view. Omits empty query values. */
export function href(view: string, id?: string, query: Readonly<Record<string, string>> = {}): string {
  const path = [view, ...(id === undefined ? [] : [id])].map(encodeURIComponent).join('/');
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return text.size === 0 ? `#/${path}` : `#/${path}?${text.toString()}`;
}

/** Changes the query of the current view without a new browser history entry. */
function replaceQuery(query: Readonly<Record<string, string>>): void {
  const { view, id } = route.value;
  history.replaceState(null, '', href(view, id, query));
  route.value = parseRoute(location.hash);
}

/** Returns the current view's query values, or their defaults, and a function that changes some of the values. */
export function useChosen<Name extends string>(defaults: Readonly<Record<Name, string>>) {
  const { query } = route.value;
  const entries = Object.entries<string>(defaults).map(([name, preset]) => [name, query.get(name) ?? preset]);
  const chosen = Object.fromEntries(entries) as Readonly<Record<Name, string>>;
  return {
    chosen,
    choose: (change: Partial<Record<Name, string>>) => replaceQuery({ ...chosen, ...change }),
  };
}

/** Whether the user has navigated within the page. */
export const hasMoved = signal(false);

addEventListener('hashchange', () => {
  hasMoved.value = true;
  route.value = parseRoute(location.hash);
});
