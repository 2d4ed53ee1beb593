import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { IssuedToken, Role, Token } from '../../src/operator/api/schemas/people.ts';
import { may } from '../api.ts';
import { Answer } from '../parts/answer.tsx';
import { Empty, Heading, Time } from '../parts/basics.tsx';
import { given, text, useChange, type Change } from '../parts/change.tsx';
import { Field, Select } from '../parts/field.tsx';
import { Pager, usePaged } from '../parts/paged.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { Table } from '../parts/table.tsx';

const ROLES: readonly { readonly value: Role; readonly title: string }[] = [
  { value: 'viewer', title: 'viewer' },
  { value: 'approver', title: 'approver' },
  { value: 'operator', title: 'operator' },
  { value: 'admin', title: 'admin' },
];

/** Tokens for scripts and for `gateway --server`. */
export function Tokens(): JSX.Element {
  return (
    <>
      <Heading>API tokens</Heading>
      {may('admin') ? <List /> : <p>Tokens are for admins.</p>}
    </>
  );
}

function List(): JSX.Element {
  const tokens = usePaged<{ readonly items: readonly Token[] }>('/api/tokens', {});
  const { ask, dialog } = useChange();
  const [issued, setIssued] = useState<IssuedToken>();
  function begin(): void {
    ask(
      newToken((answer) => {
        setIssued(answer);
        tokens.reload();
      }),
    );
  }
  return (
    <>
      <div class="tools">
        <button type="button" class="primary" onClick={begin}>
          Make a token
        </button>
      </div>
      <Answer of={tokens}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              No token yet. Make one for a script, or for <code>gateway --server URL --token-file FILE</code>.
            </Empty>
          ) : (
            <Table
              caption="API tokens"
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                { title: 'Name', cell: ({ name }) => name },
                { title: 'Role', cell: ({ role }) => role },
                { title: 'Owner', cell: ({ owner }) => owner },
                { title: 'Made by', cell: ({ created_by: by }) => by },
                { title: 'Made', cell: ({ created_at: at }) => <Time at={at} /> },
                {
                  title: 'Last used',
                  cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />),
                },
                { title: 'Ends', cell: ({ expires_at: at }) => <Time at={at} /> },
                {
                  title: 'Changes',
                  cell: (token) => (
                    <button
                      type="button"
                      aria-label={`End ${token.name}`}
                      onClick={() => {
                        ask(endToken(token, tokens.reload));
                      }}
                    >
                      End
                    </button>
                  ),
                },
              ]}
            />
          )
        }
      </Answer>
      <Pager of={tokens} />
      {dialog}
      {issued && (
        <SecretDialog
          title={`The token ${issued.token.name}`}
          what="token"
          secret={issued.raw_token}
          onClose={() => {
            setIssued(undefined);
          }}
        />
      )}
    </>
  );
}

function newToken(onDone: (answer: IssuedToken) => void): Change<IssuedToken> {
  return {
    title: 'Make a token',
    consequence:
      'Scripts that send it may do what its role may, until it ends. It is shown one time. To undo this, end it.',
    verb: 'Make',
    path: '/api/tokens',
    fields: (
      <>
        <Field label="Name" name="name" required maxLength={128} autocomplete="off" />
        <Select label="Role" name="role" choices={ROLES} />
        <Field label="Owner" name="owner" hint="keys of this owner only; empty for all" autocomplete="off" />
        <Field label="Ends in" name="expiresIn" required value="90d" hint="such as 90d" autocomplete="off" />
      </>
    ),
    body: (form) => ({
      name: text(form, 'name'),
      role: text(form, 'role'),
      expiresIn: text(form, 'expiresIn'),
      ...given(form, 'owner'),
    }),
    said: ({ token }) => `Made the token ${token.name}.`,
    onDone,
  };
}

function endToken({ id, name }: Token, onDone: () => void): Change<unknown> {
  return {
    title: `End the token ${name}`,
    consequence: 'Its next request is refused with 401. This cannot be undone.',
    verb: 'End it',
    isDangerous: true,
    method: 'DELETE',
    path: `/api/tokens/${encodeURIComponent(id)}`,
    said: () => `Ended the token ${name}.`,
    onDone,
  };
}
