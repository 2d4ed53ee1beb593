import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { AnsweredEscalation, Escalation, Escalations } from '../../src/operator/api/schemas/traffic.ts';
import { duration } from '../format.ts';
import { useLoaded, useNow } from '../loaded.ts';
import { Answer } from '../parts/answer.tsx';
import { Empty, Facts, Heading, Time } from '../parts/basics.tsx';
import { Changes, useChange, type Change } from '../parts/change.tsx';
import { KeyLink } from '../parts/decision-rows.tsx';

const EVERY_MS = 2_000;

export function Approvals(): JSX.Element {
  const waiting = useLoaded<Escalations>('/api/escalations?limit=200', EVERY_MS);
  const { ask, dialog } = useChange();
  return (
    <>
      <Heading>Approvals</Heading>
      <Answer of={waiting}>
        {({ items, enabled, now }) => (
          <>
            {items.length === 0 && <Nothing isEnabled={enabled} />}
            <div class="cards">
              {items.map((one) => (
                <Waiting
                  key={one.id}
                  of={one}
                  serverNow={now}
                  onAnswer={(outcome) => {
                    ask(answer(one, outcome, waiting.reload));
                  }}
                />
              ))}
            </div>
          </>
        )}
      </Answer>
      {dialog}
    </>
  );
}

function Nothing({ isEnabled }: { readonly isEnabled: boolean }): JSX.Element {
  if (isEnabled) return <Empty>No call waits for approval. New ones appear here by themselves.</Empty>;
  return (
    <Empty>
      Approvals are off. Set <code>zsp.escalation_enabled: true</code> and write a policy rule with the action{' '}
      <code>escalate</code>.
    </Empty>
  );
}

function answer(of: Escalation, outcome: 'approve' | 'deny', onDone: () => void): Change<AnsweredEscalation> {
  const isApproval = outcome === 'approve';
  return {
    title: `${isApproval ? 'Approve' : 'Deny'} the call of ${of.key_name}`,
    consequence: isApproval
      ? 'The waiting request is checked again and sent. The approval counts for this one request and cannot be taken back.'
      : 'The waiting request is refused with escalation_denied. The client may send it again, which asks again.',
    verb: isApproval ? 'Approve' : 'Deny',
    isDangerous: !isApproval,
    path: `/api/escalations/${encodeURIComponent(of.id)}/${outcome}`,
    said: ({ outcome: stored, changed }) =>
      changed ? `You ${stored} the call of ${of.key_name}.` : `Someone else ${stored} the call first.`,
    onDone,
  };
}

function Waiting({
  of,
  serverNow,
  onAnswer,
}: {
  readonly of: Escalation;
  readonly serverNow: string;
  readonly onAnswer: (outcome: 'approve' | 'deny') => void;
}): JSX.Element {
  return (
    <article class="card" aria-label={`Call of ${of.key_name}`}>
      <h2>{of.tool_name !== '' ? of.tool_name : of.model !== '' ? of.model : of.method}</h2>
      <p>
        <strong>
          <Countdown expiry={of.expiry} serverNow={serverNow} />
        </strong>
      </p>
      <ul>
        {of.rules.map(({ rule, reason }) => (
          <li key={rule}>
            <code>{rule}</code> {reason}
          </li>
        ))}
      </ul>
      <Facts
        of={{
          Key: <KeyLink name={of.key_name} hash={of.key_hash} />,
          Owner: of.owner,
          Agent: of.agent_name,
          Provider: of.provider,
          Model: of.model,
          'MCP server': of.mcp_server,
          Method: of.method,
          Resource: of.resource_uri,
          Prompt: of.prompt_name,
          Session: of.session_id,
          Asked: <Time at={of.requested_at} />,
          'Digest of the request': <code>{of.request_digest}</code>,
        }}
      />
      {of.arguments !== '' && (
        <>
          <h3>Arguments, masked</h3>
          <pre tabIndex={0}>{of.arguments}</pre>
        </>
      )}
      {of.prompt_text !== '' && (
        <>
          <h3>Last text of the user, masked</h3>
          <pre tabIndex={0}>{of.prompt_text}</pre>
        </>
      )}
      <Changes role="approver">
        <button
          type="button"
          class="primary"
          onClick={() => {
            onAnswer('approve');
          }}
        >
          Approve
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            onAnswer('deny');
          }}
        >
          Deny
        </button>
      </Changes>
    </article>
  );
}

/** Counts by the server's clock: the reader's may be wrong. */
function Countdown({
  expiry,
  serverNow,
}: {
  readonly expiry: string;
  readonly serverNow: string;
}): JSX.Element {
  const now = useNow(1_000);
  const [aheadMs, setAheadMs] = useState(() => Date.now() - Date.parse(serverNow));
  useEffect(() => {
    setAheadMs(Date.now() - Date.parse(serverNow));
  }, [serverNow]);
  const leftSeconds = (Date.parse(expiry) - (now - aheadMs)) / 1000;
  return <>{leftSeconds > 0 ? `${duration(leftSeconds)} left` : 'Time is up'}</>;
}
