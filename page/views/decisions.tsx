import { useState } from 'preact/hooks';

import { count } from '../format.ts';
import { useLive } from '../live.ts';
import { ProblemText } from '../parts/answer.tsx';
import { Badge, Empty, Heading } from '../parts/basics.tsx';
import { DecisionRows } from '../parts/decision-rows.tsx';
import { Field, Filters, Select } from '../parts/field.tsx';
import { href, useChosen } from '../route.ts';

const VERDICTS = ['', 'Allowed', 'Blocked', 'Quarantined', 'Corrected', 'Detected', 'Error'].map((value) => ({
  value,
  title: value === '' ? 'Any' : value,
}));
const KINDS = [
  { value: '', title: 'Any' },
  { value: 'request', title: 'Requests' },
  { value: 'finding', title: 'Findings' },
  { value: 'operator', title: 'Operator changes' },
  { value: 'event', title: 'Events' },
];
const TEXTS = [
  ['key', 'Key'],
  ['owner', 'Owner'],
  ['model', 'Model'],
  ['tool', 'Tool'],
  ['refusal', 'Refusal'],
] as const;
const NO_FILTERS = { kind: '', disposition: '', key: '', owner: '', model: '', tool: '', refusal: '' };

export function Decisions() {
  const [isPaused, setPaused] = useState(false);
  const { chosen: filters, choose } = useChosen(NO_FILTERS);
  const live = useLive(filters, isPaused);
  return (
    <>
      <Heading>Live decisions</Heading>
      <OpenRequest />
      <Filters>
        <Select label="Kind" choices={KINDS} value={filters.kind} onChoose={(kind) => choose({ kind })} />
        <Select
          label="Verdict"
          choices={VERDICTS}
          value={filters.disposition}
          onChoose={(disposition) => choose({ disposition })}
        />
        {TEXTS.map(([name, label]) => (
          <Field
            key={name}
            label={label}
            value={filters[name]}
            onTyped={(value) => choose({ [name]: value })}
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

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty>No decision matches these filters yet. New decisions appear here.</Empty>;
  return (
    <Empty>
      No decisions yet. <a href={href('connect')}>Connect a client</a>, or turn on the audit trail with{' '}
      <code>audit.enabled: true</code>.
    </Empty>
  );
}

/** Opens a request by the id in a refusal or a log line. */
function OpenRequest() {
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
