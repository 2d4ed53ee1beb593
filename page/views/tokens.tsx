import { useState } from 'preact/hooks';

import type { IssuedToken, Role, Token } from '../../src/operator/api/schemas/people.ts';
import { may } from '../api.ts';
import { Heading, Time } from '../parts/basics.tsx';
import { given, text, useChange, type Change } from '../parts/change.tsx';
import { SecretDialog } from '../parts/dialog.tsx';
import { Field, Select } from '../parts/field.tsx';
import { PagedList, usePaged } from '../parts/paged.tsx';
import { Table } from '../parts/table.tsx';

const ROLES: readonly { readonly value: Role; readonly title: string }[] = [
  { value: 'viewer', title: 'viewer' },
  { value: 'approver', title: 'approver' },
  { value: 'operator', title: 'operator' },
  { value: 'admin', title: 'admin' },
];

export function Tokens() {
  return (
    <>
      <Heading>API tokens</Heading>
      {may('admin') ? <List /> : <p>Only admins can see, create and revoke API tokens.</p>}
    </>
  );
}

function List() {
  const tokens = usePaged<Token>('/api/tokens', {});
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
          Create a token
        </button>
      </div>
      <PagedList
        paged={tokens}
        empty={
          <>
            No tokens yet. Create one for a script, or for <code>gateway --server URL --token-file FILE</code>
            .
          </>
        }
      >
        {(items) => (
          <Table
            caption="API tokens"
            rows={items}
            rowKey={({ id }) => id}
            columns={[
              { title: 'Name', cell: ({ name }) => name },
              { title: 'Role', cell: ({ role }) => role },
              { title: 'Owner', cell: ({ owner }) => owner },
              { title: 'Created by', cell: ({ created_by: by }) => by },
              { title: 'Created', cell: ({ created_at: at }) => <Time at={at} /> },
              {
                title: 'Last used',
                cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />),
              },
              { title: 'Expires', cell: ({ expires_at: at }) => <Time at={at} /> },
              {
                title: 'Changes',
                cell: (token) => (
                  <button
                    type="button"
                    aria-label={`Revoke ${token.name}`}
                    onClick={() => ask(revokeToken(token, tokens.reload))}
                  >
                    Revoke
                  </button>
                ),
              },
            ]}
          />
        )}
      </PagedList>
      {dialog}
      {issued && (
        <SecretDialog
          title={`The token ${issued.token.name}`}
          what="token"
          secret={issued.raw_token}
          onClose={() => setIssued(undefined)}
        />
      )}
    </>
  );
}

function newToken(onDone: (answer: IssuedToken) => void): Change<IssuedToken> {
  return {
    title: 'Create a token',
    consequence:
      'Scripts that send the token have its role until the token expires. The token is shown once. To undo this, revoke the token.',
    verb: 'Create',
    path: '/api/tokens',
    fields: (
      <>
        <Field label="Name" name="name" required maxLength={128} autocomplete="off" />
        <Select label="Role" name="role" choices={ROLES} />
        <Field
          label="Owner"
          name="owner"
          hint="restricts the token to keys of this owner; empty for all"
          autocomplete="off"
        />
        <Field
          label="Expires in"
          name="expiresIn"
          required
          value="90d"
          hint="such as 90d"
          autocomplete="off"
        />
      </>
    ),
    body: (form) => ({
      name: text(form, 'name'),
      role: text(form, 'role'),
      expiresIn: text(form, 'expiresIn'),
      ...given(form, 'owner'),
    }),
    doneText: ({ token }) => `Created the token ${token.name}.`,
    onDone,
  };
}

function revokeToken({ id, name }: Token, onDone: () => void): Change<unknown> {
  return {
    title: `Revoke the token ${name}`,
    consequence: 'Requests with this token are refused with 401 from now on. This cannot be undone.',
    verb: 'Revoke',
    isDangerous: true,
    method: 'DELETE',
    path: `/api/tokens/${encodeURIComponent(id)}`,
    doneText: () => `Revoked the token ${name}.`,
    onDone,
  };
}
