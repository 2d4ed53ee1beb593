import type { ChangedKey, IssuedKey, Key, KeyDetails } from '../../src/operator/api/schemas/keys.ts';
import { given, text, type Change } from '../parts/change.tsx';
import { Field } from '../parts/field.tsx';

type Named = Pick<Key, 'key_hash' | 'name'>;

function pathOf({ key_hash: hash }: Named, verb: string): string {
  return `/api/keys/${encodeURIComponent(hash)}/${verb}`;
}

export function lock(key: Named, onDone: () => void): Change<ChangedKey> {
  return {
    title: `Lock ${key.name}`,
    consequence:
      'Requests with this key are refused with 403 quarantined until the lock ends or is released. An existing longer lock is kept.',
    verb: 'Lock',
    isDangerous: true,
    path: pathOf(key, 'lock'),
    fields: (
      <Field label="For" name="for" required value="30m" hint="such as 30m or 24h" autocomplete="off" />
    ),
    body: (form) => given(form, 'for'),
    doneText: ({ changed }) =>
      changed ? `Locked ${key.name}.` : `${key.name} has a longer lock, which is kept.`,
    onDone,
  };
}

export function release(key: Named, onDone: () => void): Change<ChangedKey> {
  return {
    title: `Release ${key.name}`,
    consequence:
      'Requests with this key are admitted again, unless the key is blocked. The risk score is kept, so the next violation may lock the key again.',
    verb: 'Release',
    path: pathOf(key, 'release'),
    doneText: ({ changed }) => (changed ? `Released ${key.name}.` : `${key.name} was not locked.`),
    onDone,
  };
}

export function resetRisk(key: Named, onDone: () => void): Change<ChangedKey> {
  return {
    title: `Reset the risk of ${key.name}`,
    consequence:
      'Removes the score, a permanent block and the taints. Totals and a lock are kept. This cannot be undone.',
    verb: 'Reset',
    path: pathOf(key, 'reset-risk'),
    doneText: () => `Reset the risk of ${key.name}.`,
    onDone,
  };
}

export function revoke(key: Named, onDone: () => void): Change<ChangedKey> {
  return {
    title: `Revoke ${key.name}`,
    consequence:
      'Requests with this key are refused with 401 invalid_key from now on. Clients need another key. This cannot be undone.',
    verb: 'Revoke',
    isDangerous: true,
    path: pathOf(key, 'revoke'),
    doneText: ({ changed }) => (changed ? `Revoked ${key.name}.` : `${key.name} was already revoked.`),
    onDone,
  };
}

export function rotate(key: Named, onDone: (issued: IssuedKey) => void): Change<IssuedKey> {
  return {
    title: `Rotate ${key.name}`,
    consequence:
      'Creates a new raw key, which is shown once. Budget, risk and locks are kept. Older raw keys expire after the time below.',
    verb: 'Rotate',
    path: pathOf(key, 'rotate'),
    fields: (
      <Field
        label="Older raw keys expire in"
        name="grace"
        value="1h"
        hint="such as 1h; 0 for immediately"
        autocomplete="off"
      />
    ),
    body: (form) => given(form, 'grace'),
    doneText: () => `Rotated ${key.name}.`,
    onDone,
  };
}

export function setBudget({ budget, ...key }: KeyDetails, onDone: () => void): Change<ChangedKey> {
  const { windows, source } = budget;
  return {
    title: `Set the budget of ${key.name}`,
    consequence:
      'The limits take effect with the next request. 0 refuses every request with a cost; an empty field removes the limit.',
    verb: 'Set',
    method: 'PUT',
    path: pathOf(key, 'budget'),
    fields: windows.map(({ window, limit_usd: limit }) => (
      <Field
        key={window}
        label={`${window}, USD`}
        name={window}
        type="number"
        value={String((source === 'own' ? limit : null) ?? '')}
        autocomplete="off"
      />
    )),
    body: (form) => ({
      limits: Object.fromEntries(windows.map(({ window }) => [window, amount(text(form, window))])),
    }),
    doneText: () => `Set the budget of ${key.name}.`,
    onDone,
  };
}

function amount(input: string): number | null {
  return input === '' ? null : Number(input);
}
