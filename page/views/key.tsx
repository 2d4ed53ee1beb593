import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { IssuedKey, KeyDetails } from '../../src/operator/api/schemas/keys.ts';
import { may } from '../api.ts';
import { count, usd } from '../format.ts';
import { useLoaded } from '../loaded.ts';
import { Answer } from '../parts/answer.tsx';
import { Copy, Facts, Heading, Time, Words } from '../parts/basics.tsx';
import { BudgetBars } from '../parts/budget-bars.tsx';
import { Changes, useChange } from '../parts/change.tsx';
import { href } from '../route.ts';
import { lock, release, resetRisk, revoke, rotate, setBudget } from './key-changes.tsx';
import { KeyState } from './keys.tsx';
import { RawKey } from './new-key.tsx';

const EVERY_MS = 5_000;

/** One key: its record, its state, its budget, and what can be changed. */
export function OneKey({ id }: { readonly id: string }): JSX.Element {
  const key = useLoaded<KeyDetails>(`/api/keys/${encodeURIComponent(id)}`, EVERY_MS);
  return (
    <>
      <Heading>Key {key.data?.name ?? ''}</Heading>
      <Answer of={key}>
        {(data) => (
          <>
            <KeyChanges of={data} onDone={key.reload} />
            <Record of={data} />
            <h2>Budget</h2>
            <BudgetBars of={data.budget} />
            <Risk of={data} />
          </>
        )}
      </Answer>
    </>
  );
}

function KeyChanges({
  of: key,
  onDone,
}: {
  readonly of: KeyDetails;
  readonly onDone: () => void;
}): JSX.Element {
  const { ask, dialog } = useChange();
  const [issued, setIssued] = useState<IssuedKey>();
  function rotated(answer: IssuedKey): void {
    setIssued(answer);
    onDone();
  }
  const isActive = key.status === 'active';
  return (
    <>
      <div class="tools">
        <a class="button" href={href('connect', key.key_hash)}>
          Connect a client
        </a>
        <a class="button" href={href('decisions', undefined, { key: key.key_hash })}>
          Its decisions
        </a>
        <a class="button" href={href('sessions', undefined, { key: key.key_hash })}>
          Its sessions
        </a>
      </div>
      <Changes role="operator">
        {key.locked && (
          <button
            type="button"
            onClick={() => {
              ask(release(key, onDone));
            }}
          >
            Release
          </button>
        )}
        {isActive && (
          <button
            type="button"
            onClick={() => {
              ask(lock(key, onDone));
            }}
          >
            Lock
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            ask(resetRisk(key, onDone));
          }}
        >
          Reset risk
        </button>
        <button
          type="button"
          onClick={() => {
            ask(setBudget(key, onDone));
          }}
        >
          Set budget
        </button>
        {isActive && may('admin') && (
          <>
            <button
              type="button"
              onClick={() => {
                ask(rotate(key, rotated));
              }}
            >
              Rotate
            </button>
            <button
              type="button"
              class="danger"
              onClick={() => {
                ask(revoke(key, onDone));
              }}
            >
              Revoke
            </button>
          </>
        )}
      </Changes>
      {dialog}
      {issued && (
        <RawKey
          of={issued}
          onClose={() => {
            setIssued(undefined);
          }}
        />
      )}
    </>
  );
}

function Record({ of: key }: { readonly of: KeyDetails }): JSX.Element {
  return (
    <Facts
      of={{
        State: <KeyState of={key} />,
        Hash: (
          <>
            <code>{key.key_hash}</code> <Copy text={key.key_hash} />
          </>
        ),
        Owner: key.owner,
        Agent: key.agent_name,
        Provider: key.provider,
        'Further providers': <Words of={key.allowed_providers} none="none" />,
        Models: <Words of={key.allowed_models} none="all" />,
        Tools: <Words of={key.allowed_tools} none="as policies decide" />,
        Credentials: key.credentials && <Words of={key.credentials} none="none" />,
        Tags: <Words of={Object.entries(key.tags).map(([name, value]) => `${name}=${value}`)} none="none" />,
        'Rule overrides': key.policy_overrides && (
          <Words
            of={Object.entries(key.policy_overrides).map(([rule, mode]) => `${rule}=${mode}`)}
            none="none"
          />
        ),
        'JWT subject': key.jwt_subject,
        Made: <Time at={key.created_at} />,
        'Last used': key.last_used_at === null ? 'never' : <Time at={key.last_used_at} />,
        Expires: key.expires_at === null ? 'never' : <Time at={key.expires_at} />,
        Revoked: key.revoked_at && <Time at={key.revoked_at} />,
      }}
    />
  );
}

function Risk({ of: key }: { readonly of: KeyDetails }): JSX.Element {
  return (
    <>
      <h2>Risk</h2>
      <Facts
        of={{
          Score: `${count(Math.round(key.risk_score))} of 100`,
          Lock: key.locked ? (key.lock_cause ?? 'locked, without a cause') : null,
          'Lock ends': key.locked_until && <Time at={key.locked_until} />,
          'Request that locked it': key.lock_request_id && (
            <a href={href('requests', key.lock_request_id)}>{key.lock_request_id}</a>
          ),
          'Attempts while locked or blocked': isHeld(key) && <HeldAttempts of={key} />,
          'Blocked permanently': key.blocked_at && <Time at={key.blocked_at} />,
          Taints: <Words of={key.taint_flags} none="none" />,
          Sessions: count(key.sessions),
          'Policy blocks, in all': count(key.total_policy_blocks),
          'Escalations, in all': count(key.total_escalations),
          'Spent, in all': usd(key.total_spend_usd),
        }}
      />
    </>
  );
}

function isHeld({ locked, blocked_at: blockedAt }: KeyDetails): boolean {
  return locked || blockedAt !== null;
}

/** Requests that were refused since the key is locked or blocked. */
function HeldAttempts({ of }: { readonly of: KeyDetails }): JSX.Element {
  if (of.last_held_attempt_at === null) return <>none</>;
  return (
    <>
      {count(of.held_attempts)}, the last <Time at={of.last_held_attempt_at} />
    </>
  );
}
