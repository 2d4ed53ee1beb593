import type { JSX } from 'preact';

import { Heading } from '../parts/basics.tsx';
import { href } from '../route.ts';
import { Approvals } from './approvals.tsx';
import { ConnectClient } from './connect.tsx';
import { Decisions } from './decisions.tsx';
import { OneKey } from './key.tsx';
import { Keys } from './keys.tsx';
import { Mcp } from './mcp.tsx';
import { Money } from './money.tsx';
import { Now } from './now.tsx';
import { PolicySet } from './policies.tsx';
import { Request } from './request.tsx';
import { RiskAndLocks } from './risk.tsx';
import { OneSession, Sessions } from './sessions.tsx';
import { SpendOverTime } from './spend.tsx';
import { Tokens } from './tokens.tsx';

type View = (props: { readonly id: string }) => JSX.Element;

/** `all` shows a list, `one` shows an item of the list. */
const VIEWS: Readonly<Record<string, { readonly all?: View; readonly one?: View }>> = {
  now: { all: Now },
  decisions: { all: Decisions },
  requests: { one: Request },
  keys: { all: Keys, one: OneKey },
  approvals: { all: Approvals },
  money: { all: Money },
  spend: { all: SpendOverTime },
  risk: { all: RiskAndLocks },
  sessions: { all: Sessions, one: OneSession },
  mcp: { all: Mcp },
  policies: { all: PolicySet },
  connect: { all: ConnectClient, one: ConnectClient },
  tokens: { all: Tokens },
};

export function viewOf(view: string, id: string | undefined): View {
  const found = Object.hasOwn(VIEWS, view) ? VIEWS[view] : undefined;
  return (id === undefined ? found?.all : found?.one) ?? Missing;
}

function Missing() {
  return (
    <>
      <Heading>Unknown view</Heading>
      <p>
        The URL may be incomplete. <a href={href('now')}>Go to Now</a>
      </p>
    </>
  );
}
