import type { RequestStory } from '../../src/operator/api/schemas/traffic.ts';
import { absoluteTime, count, usd } from '../format.ts';
import { useLoaded } from '../loaded.ts';
import { Answer } from '../parts/answer.tsx';
import { Copy, Empty, Facts, Heading } from '../parts/basics.tsx';
import { Disposition, KeyLink } from '../parts/decision-rows.tsx';
import { Table } from '../parts/table.tsx';

type Step = RequestStory['steps'][number];

export function Request({ id }: { readonly id: string }) {
  const story = useLoaded<RequestStory>(`/api/requests/${encodeURIComponent(id)}`);
  return (
    <>
      <Heading>Request</Heading>
      <p>
        <code>{id}</code> <Copy text={id} label="Copy the id" />
      </p>
      <Answer loaded={story}>
        {({ steps, trace_url: trace, searched, complete }) => (
          <>
            {trace !== null && (
              <p>
                <a href={trace} rel="noreferrer">
                  Open the trace
                </a>
              </p>
            )}
            {steps.length === 0 && (
              <Empty>
                No record of this request was found in {count(searched)} records. The <code>audit</code>{' '}
                section in gateway.yaml sets how many records are kept.
              </Empty>
            )}
            <ol class="timeline">
              {steps.map((step) => (
                <li key={step.id}>
                  <StepShown step={step} />
                </li>
              ))}
            </ol>
            {!complete && <p class="muted">The search has reached its limit; there may be older records.</p>}
          </>
        )}
      </Answer>
    </>
  );
}

function StepShown({ step }: { readonly step: Step }) {
  return (
    <article class="card">
      <h2>
        {step.stage} <Disposition value={step.disposition} />
      </h2>
      <p>
        <time dateTime={step.at}>{absoluteTime(step.at)}</time>
      </p>
      <p>
        {step.refusal !== null && <code>{step.refusal}</code>} {step.message}
      </p>
      <Facts
        facts={{
          Key: step.key_hash === null ? step.name : <KeyLink name={step.name} hash={step.key_hash} />,
          Owner: step.owner,
          Agent: step.agent,
          Session: step.session_id,
          Service: step.service,
          Operation: step.operation,
          Model: step.model,
          Tool: step.tool,
          Status: step.status,
          Outcome: step.outcome,
          Reserved: step.reserved_usd === null ? null : usd(step.reserved_usd),
          Charged: step.cost_usd === null ? null : usd(step.cost_usd),
          Tokens: tokens(step),
          Latency: step.latency_ms === null ? null : `${count(Math.round(step.latency_ms))} ms`,
          Client: step.client_address,
          Trace: step.trace_id && <code>{step.trace_id}</code>,
          OWASP: step.owasp.join(', '),
        }}
      />
      {step.checks.length > 0 && <Checks checks={step.checks} />}
      {step.rules.length > 0 && <Rules rules={step.rules} />}
      {step.findings.length > 0 && <Findings findings={step.findings} />}
    </article>
  );
}

function tokens({ input_tokens: input, output_tokens: output }: Step): string | null {
  if (input === null && output === null) return null;
  return `${count(input ?? 0)} in, ${count(output ?? 0)} out`;
}

function Checks({ checks }: { readonly checks: Step['checks'] }) {
  return (
    <>
      <h3>Checks</h3>
      <Table
        caption="Checks"
        rows={checks.map((check, at) => ({ ...check, at }))}
        rowKey={({ at }) => String(at)}
        columns={[
          { title: 'Check', cell: ({ check }) => check },
          { title: 'Verdict', cell: ({ decision }) => decision },
          { title: 'Reason', cell: ({ reason }) => reason },
        ]}
      />
    </>
  );
}

function Rules({ rules }: { readonly rules: Step['rules'] }) {
  return (
    <>
      <h3>Rules that fired</h3>
      <Table
        caption="Rules that fired"
        rows={rules.map((rule, at) => ({ ...rule, at }))}
        rowKey={({ at }) => String(at)}
        columns={[
          { title: 'Rule', cell: ({ rule }) => rule },
          { title: 'Action', cell: ({ action }) => action },
          { title: 'Mode', cell: ({ mode }) => mode },
          {
            title: 'Location',
            cell: ({ file, line }) => [file, line].filter((part) => part !== null).join(':'),
          },
        ]}
      />
    </>
  );
}

function Findings({ findings }: { readonly findings: Step['findings'] }) {
  return (
    <>
      <h3>Findings</h3>
      <Table
        caption="Findings, without the text"
        rows={findings.map((finding, at) => ({ ...finding, at }))}
        rowKey={({ at }) => String(at)}
        columns={[
          { title: 'Rule', cell: ({ rule }) => rule },
          { title: 'Class', cell: (finding) => finding.class },
          {
            title: 'Location',
            cell: ({ place, path, role }) => [place, path, role].filter((part) => part !== null).join(' · '),
          },
          {
            title: 'Offsets',
            cell: ({ start, end }) =>
              start === null ? '' : `${count(start)}–${end === null ? '' : count(end)}`,
          },
          { title: 'Score', isNumber: true, cell: ({ score }) => score },
        ]}
      />
    </>
  );
}
