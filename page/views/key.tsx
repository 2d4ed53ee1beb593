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

export function OneKey({ id }: { readonly id: string }) {
  const key = useLoaded<KeyDetails>(`/api/keys/${encodeURIComponent(id)}`, EVERY_MS);
  return (
    <>
      <Heading>Key {key.data?.name ?? ''}</Heading>
      <Answer loaded={key}>
        {(data) => (
          <>
            <KeyChanges record={data} onDone={key.reload} />
            <Record record={data} />
            <h2>Budget</h2>
            <BudgetBars budget={data.budget} />
            <Risk record={data} />
          </>
        )}
      </Answer>
    </>
  );
}

function KeyChanges({ record: key, onDone }: { readonly record: KeyDetails; readonly onDone: () => void }) {
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
          Decisions
        </a>
        <a class="button" href={href('sessions', undefined, { key: key.key_hash })}>
          Sessions
        </a>
      </div>
      <Changes role="operator">
        {key.locked && (
          <button type="button" onClick={() => ask(release(key, onDone))}>
            Release
          </button>
        )}
        {isActive && (
          <button type="button" onClick={() => ask(lock(key, onDone))}>
            Lock
          </button>
        )}
        <button type="button" onClick={() => ask(resetRisk(key, onDone))}>
          Reset risk
        </button>
        <button type="button" onClick={() => ask(setBudget(key, onDone))}>
          Set budget
        </button>
        {isActive && may('admin') && (
          <>
            <button type="button" onClick={() => ask(rotate(key, rotated))}>
              Rotate
            </button>
            <button type="button" class="danger" onClick={() => ask(revoke(key, onDone))}>
              Revoke
            </button>
          </>
        )}
      </Changes>
      {dialog}
      {issued && <RawKey issued={issued} onClose={() => setIssued(undefined)} />}
    </>
  );
}

function Record({ record: key }: { readonly record: KeyDetails }) {
  return (
    <Facts
      facts={{
        State: <KeyState record={key} />,
        Hash: (
          <>
            <code>{key.key_hash}</code> <Copy text={key.key_hash} />
          </>
        ),
        Owner: key.owner,
        Agent: key.agent_name,
        Provider: key.provider,
        'Further providers': <Words words={key.allowed_providers} none="none" />,
        Models: <Words words={key.allowed_models} none="all" />,
        Tools: <Words words={key.allowed_tools} none="all" />,
        Credentials: key.credentials && <Words words={key.credentials} none="none" />,
        Tags: (
          <Words words={Object.entries(key.tags).map(([name, value]) => `${name}=${value}`)} none="none" />
        ),
        'Rule overrides': key.policy_overrides && (
          <Words
            words={Object.entries(key.policy_overrides).map(([rule, mode]) => `${rule}=${mode}`)}
            none="none"
          />
        ),
        'JWT subject': key.jwt_subject,
        Created: <Time at={key.created_at} />,
        'Last used': key.last_used_at === null ? 'never' : <Time at={key.last_used_at} />,
        Expires: key.expires_at === null ? 'never' : <Time at={key.expires_at} />,
        Revoked: key.revoked_at && <Time at={key.revoked_at} />,
      }}
    />
  );
}

function Risk({ record: key }: { readonly record: KeyDetails }) {
  return (
    <>
      <h2>Risk</h2>
      <Facts
        facts={{
          Score: `${count(Math.round(key.risk_score))} of 100`,
          Lock: key.locked ? (key.lock_cause ?? 'locked, cause unknown') : null,
          'Lock ends': key.locked_until && <Time at={key.locked_until} />,
          'Locked by request': key.lock_request_id && (
            <a href={href('requests', key.lock_request_id)}>{key.lock_request_id}</a>
          ),
          'Attempts while locked or blocked': isHeld(key) && <HeldAttempts record={key} />,
          'Blocked permanently': key.blocked_at && <Time at={key.blocked_at} />,
          Taints: <Words words={key.taint_flags} none="none" />,
          Sessions: count(key.sessions),
          'Policy blocks, total': count(key.total_policy_blocks),
          'Escalations, total': count(key.total_escalations),
          'Spent, total': usd(key.total_spend_usd),
        }}
      />
    </>
  );
}

function isHeld({ locked, blocked_at: blockedAt }: KeyDetails): boolean {
  return locked || blockedAt !== null;
}

function HeldAttempts({ record }: { readonly record: KeyDetails }) {
  if (record.last_held_attempt_at === null) return <>none</>;
  return (
    <>
      {count(record.held_attempts)}, the last <Time at={record.last_held_attempt_at} />
    </>
  );
}
