import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { count } from '../format.ts';
import { useLive } from '../live.ts';
import { ProblemText } from '../parts/answer.tsx';
import { Badge, Empty, Heading } from '../parts/basics.tsx';
import { DecisionRows } from '../parts/decision-rows.tsx';
import { Field, Filters, Select } from '../parts/field.tsx';
import { href, replaceQuery, route } from '../route.ts';

const VERDICTS = ['', 'Allowed', 'Blocked', 'Quarantined', 'Corrected', 'Detected', 'Error'].map((value) => ({
  value,
  title: value === '' ? 'Any' : value,
}));
const KINDS = [
  { value: '', title: 'Any' },
  { value: 'request', title: 'Requests' },
  { value: 'finding', title: 'Findings' },
  { value: 'operator', title: 'Changes by operators' },
  { value: 'event', title: 'Events' },
];
const TEXTS = [
  ['key', 'Key'],
  ['owner', 'Owner'],
  ['model', 'Model'],
  ['tool', 'Tool'],
  ['refusal', 'Refusal'],
] as const;
const NAMES = ['kind', 'disposition', ...TEXTS.map(([name]) => name)];

export function Decisions(): JSX.Element {
  const [isPaused, setPaused] = useState(false);
  const { query } = route.value;
  const filters: Record<string, string> = Object.fromEntries(
    NAMES.map((name) => [name, query.get(name) ?? '']),
  );
  const live = useLive(filters, isPaused);
  function choose(name: string, value: string): void {
    replaceQuery({ ...filters, [name]: value });
  }
  return (
    <>
      <Heading>Live decisions</Heading>
      <OpenRequest />
      <Filters>
        <Select
          label="Kind"
          choices={KINDS}
          value={filters['kind'] ?? ''}
          onChoose={(value) => choose('kind', value)}
        />
        <Select
          label="Verdict"
          choices={VERDICTS}
          value={filters['disposition'] ?? ''}
          onChoose={(value) => choose('disposition', value)}
        />
        {TEXTS.map(([name, label]) => (
          <Field
            key={name}
            label={label}
            value={filters[name] ?? ''}
            onTyped={(value) => choose(name, value)}
          />
        ))}
      </Filters>
      <div class="tools">
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        {live.isConnected ? <Badge tone="good">live</Badge> : <Badge tone="warn">connecting …</Badge>}
        <span role="status">{isPaused && `Paused: ${count(live.waiting)} new`}</span>
      </div>
      {live.problem !== undefined && <ProblemText problem={live.problem} />}
      {live.rows.length === 0 && live.isConnected ? (
        <Nothing isFiltered={Object.values(filters).some((value) => value !== '')} />
      ) : (
        <DecisionRows caption="Decisions, newest first" rows={live.rows} />
      )}
    </>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (isFiltered) return <Empty>No decision matches these filters yet. New ones appear here.</Empty>;
  return (
    <Empty>
      No decisions yet. <a href={href('connect')}>Connect a client</a>, or switch the audit trail on with{' '}
      <code>audit.enabled: true</code>.
    </Empty>
  );
}

/** Opens a request by the id in a refusal or a log line. */
function OpenRequest(): JSX.Element {
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const id = new FormData(event.currentTarget).get('id');
        if (typeof id === 'string' && id.trim() !== '') location.hash = href('requests', id.trim());
      }}
    >
      <Field label="Request id" name="id" maxLength={128} autocomplete="off" />
      <button type="submit">Show the request</button>
    </form>
  );
}
