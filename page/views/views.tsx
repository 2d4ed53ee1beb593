import type { JSX } from 'preact';

import { Heading } from '../parts/basics.tsx';
import { href } from '../route.ts';
import { Now } from './now.tsx';

type View = (props: { readonly id: string }) => JSX.Element;

/** The view of a place: of the list, or of one thing in it. */
const VIEWS: Readonly<Record<string, { readonly all?: View; readonly one?: View }>> = {
  now: { all: Now },
};

export function viewOf(view: string, id: string | undefined): View {
  const found = Object.hasOwn(VIEWS, view) ? VIEWS[view] : undefined;
  return (id === undefined ? found?.all : found?.one) ?? Missing;
}

function Missing(): JSX.Element {
  return (
    <>
      <Heading>There is no such view</Heading>
      <p>
        Perhaps the address is incomplete. <a href={href('now')}>Go to Now</a>
      </p>
    </>
  );
}
