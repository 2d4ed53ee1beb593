import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import type { IssuedKey } from '../../src/operator/api/schemas/keys.ts';
import { given, text, useChange } from '../parts/change.tsx';
import { SecretDialog } from '../parts/dialog.tsx';
import { Field } from '../parts/field.tsx';
import { href } from '../route.ts';

/** Returns the dialogs that create a key and show its raw key once. */
export function useNewKey(onDone: () => void): { begin(): void; readonly dialogs: ComponentChildren } {
  const { ask, dialog } = useChange();
  const [issued, setIssued] = useState<IssuedKey>();
  function begin(): void {
    ask<IssuedKey>({
      title: 'Create a key',
      verb: 'Create',
      path: '/api/keys',
      consequence: (
        <p>
          Clients can use the new key immediately. The raw key is shown only once. Until the key has its own
          budget, the default budget applies. To undo this, revoke the key.
        </p>
      ),
      fields: <KeyFields />,
      body: (form) => ({
        ...given(form, 'name'),
        ...given(form, 'provider'),
        ...given(form, 'owner'),
        ...given(form, 'agentName'),
        ...given(form, 'expiresIn'),
        ...listed(form, 'allowedProviders'),
        ...listed(form, 'allowedModels'),
        ...listed(form, 'allowedTools'),
        ...tags(form),
      }),
      doneText: ({ key }) => `Created the key ${key.name}.`,
      onDone: (answer) => {
        setIssued(answer);
        onDone();
      },
    });
  }
  const shown = issued && <RawKey issued={issued} onClose={() => setIssued(undefined)} />;
  return { begin, dialogs: [dialog, shown] };
}

function KeyFields() {
  return (
    <>
      <Field label="Name" name="name" required maxLength={128} autocomplete="off" />
      <Field
        label="Provider"
        name="provider"
        required
        hint="such as openai or anthropic"
        autocomplete="off"
      />
      <Field label="Owner" name="owner" maxLength={256} autocomplete="off" />
      <Field label="Agent" name="agentName" maxLength={256} autocomplete="off" />
      <Field label="Expires in" name="expiresIn" hint="such as 90d; empty for never" autocomplete="off" />
      <details>
        <summary>Permissions and tags</summary>
        <Field
          label="Further providers"
          name="allowedProviders"
          hint="separated by commas"
          autocomplete="off"
        />
        <Field
          label="Models"
          name="allowedModels"
          hint="such as gpt-4o*, separated by commas; empty for all"
          autocomplete="off"
        />
        <Field
          label="Tools"
          name="allowedTools"
          hint="separated by commas; empty for all"
          autocomplete="off"
        />
        <Field label="Tags" name="tags" hint="such as team=search, separated by commas" autocomplete="off" />
      </details>
    </>
  );
}

function words(form: FormData, name: string): string[] {
  return text(form, name)
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function listed(form: FormData, name: string): Readonly<Record<string, readonly string[]>> {
  const found = words(form, name);
  return found.length === 0 ? {} : { [name]: found };
}

function tags(form: FormData): { readonly tags?: Readonly<Record<string, string>> } {
  const found = words(form, 'tags').map((word): [string, string] => {
    const at = word.indexOf('=');
    return at < 0 ? [word, ''] : [word.slice(0, at).trim(), word.slice(at + 1).trim()];
  });
  return found.length === 0 ? {} : { tags: Object.fromEntries(found) };
}

export function RawKey({
  issued: { key, raw_key: raw },
  onClose,
}: {
  readonly issued: IssuedKey;
  readonly onClose: () => void;
}) {
  return (
    <SecretDialog title={`The raw key of ${key.name}`} what="raw key" secret={raw} onClose={onClose}>
      <a class="button" href={href('connect', key.key_hash)} onClick={onClose}>
        Connect a client
      </a>
    </SecretDialog>
  );
}
