import { useEffect, useState } from 'preact/hooks';

import type { AnsweredEscalation, Escalation, Escalations } from '../../src/operator/api/schemas/traffic.ts';
import { duration } from '../format.ts';
import { useLoaded, useNow } from '../loaded.ts';
import { Answer } from '../parts/answer.tsx';
import { Empty, Facts, Heading, Time } from '../parts/basics.tsx';
import { Changes, useChange, type Change } from '../parts/change.tsx';
import { KeyLink } from '../parts/decision-rows.tsx';

const EVERY_MS = 2_000;

export function Approvals() {
  const waiting = useLoaded<Escalations>('/api/escalations?limit=200', EVERY_MS);
  const { ask, dialog } = useChange();
  return (
    <>
      <Heading>Approvals</Heading>
      <Answer loaded={waiting}>
        {({ items, enabled, now }) => (
          <>
            {items.length === 0 && <Nothing isEnabled={enabled} />}
            <div class="cards">
              {items.map((escalation) => (
                <Waiting
                  key={escalation.id}
                  escalation={escalation}
                  serverNow={now}
                  onAnswer={(outcome) => ask(answer(escalation, outcome, waiting.reload))}
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

function Nothing({ isEnabled }: { readonly isEnabled: boolean }) {
  if (isEnabled) return <Empty>No call is waiting for approval. New calls appear here.</Empty>;
  return (
    <Empty>
      Approvals are off. Set <code>zsp.escalation_enabled: true</code> and write a policy rule with the action{' '}
      <code>escalate</code>.
    </Empty>
  );
}

function answer(
  escalation: Escalation,
  outcome: 'approve' | 'deny',
  onDone: () => void,
): Change<AnsweredEscalation> {
  const isApproval = outcome === 'approve';
  return {
    title: `${isApproval ? 'Approve' : 'Deny'} the call by ${escalation.key_name}`,
    consequence: isApproval
      ? 'The waiting request is checked again and sent. The approval applies only to this request and cannot be undone.'
      : 'The waiting request is refused with escalation_denied. If the client sends it again, it needs approval again.',
    verb: isApproval ? 'Approve' : 'Deny',
    isDangerous: !isApproval,
    path: `/api/escalations/${encodeURIComponent(escalation.id)}/${outcome}`,
    doneText: ({ outcome: stored }) => `You ${stored} the call by ${escalation.key_name}.`,
    onDone,
  };
}

function Waiting({
  escalation,
  serverNow,
  onAnswer,
}: {
  readonly escalation: Escalation;
  readonly serverNow: string;
  readonly onAnswer: (outcome: 'approve' | 'deny') => void;
}) {
  return (
    <article class="card" aria-label={`Call by ${escalation.key_name}`}>
      <h2>
        {escalation.tool_name !== ''
          ? escalation.tool_name
          : escalation.model !== ''
            ? escalation.model
            : escalation.method}
      </h2>
      <p>
        <strong>
          <Countdown expiry={escalation.expiry} serverNow={serverNow} />
        </strong>
      </p>
      <ul>
        {escalation.rules.map(({ rule, reason }) => (
          <li key={rule}>
            <code>{rule}</code> {reason}
          </li>
        ))}
      </ul>
      <Facts
        facts={{
          Key: <KeyLink name={escalation.key_name} hash={escalation.key_hash} />,
          Owner: escalation.owner,
          Agent: escalation.agent_name,
          Provider: escalation.provider,
          Model: escalation.model,
          'Other models that may answer': escalation.other_models.join(', '),
          'MCP server': escalation.mcp_server,
          Method: escalation.method,
          Resource: escalation.resource_uri,
          Prompt: escalation.prompt_name,
          Session: escalation.session_id,
          Requested: <Time at={escalation.requested_at} />,
          'Request digest': <code>{escalation.request_digest}</code>,
        }}
      />
      {escalation.arguments !== '' && (
        <>
          <h3>Arguments, masked</h3>
          <pre tabIndex={0}>{escalation.arguments}</pre>
        </>
      )}
      {escalation.prompt_text !== '' && (
        <>
          <h3>Last user text, masked</h3>
          <pre tabIndex={0}>{escalation.prompt_text}</pre>
        </>
      )}
      <Changes role="approver">
        <button type="button" class="primary" onClick={() => onAnswer('approve')}>
          Approve
        </button>
        <button type="button" class="danger" onClick={() => onAnswer('deny')}>
          Deny
        </button>
      </Changes>
    </article>
  );
}

/** Uses the server's clock, because the user's clock may be wrong. */
function Countdown({ expiry, serverNow }: { readonly expiry: string; readonly serverNow: string }) {
  const now = useNow(1_000);
  const [aheadMs, setAheadMs] = useState(() => Date.now() - Date.parse(serverNow));
  useEffect(() => setAheadMs(Date.now() - Date.parse(serverNow)), [serverNow]);
  const leftSeconds = (Date.parse(expiry) - (now - aheadMs)) / 1000;
  return <>{leftSeconds > 0 ? `${duration(leftSeconds)} left` : 'Expired'}</>;
}
