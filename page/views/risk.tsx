import type { RiskRow } from '../../src/operator/api/schemas/keys.ts';
import { may } from '../api.ts';
import { count } from '../format.ts';
import { Heading, Time, Words } from '../parts/basics.tsx';
import { useChange } from '../parts/change.tsx';
import { KeyLink } from '../parts/decision-rows.tsx';
import { Filters, SearchField, Select } from '../parts/field.tsx';
import { PagedList, usePaged } from '../parts/paged.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { href, useChosen } from '../route.ts';
import { lock, release, resetRisk } from './key-changes.tsx';
import { KeyState } from './keys.tsx';

const EVERY_MS = 5_000;
const FILTERS = [
  { value: '', title: 'All keys' },
  { value: 'true', title: 'Locked or blocked' },
];

export function RiskAndLocks() {
  const { chosen, choose } = useChosen({ search: '', held: '' });
  const risks = usePaged<RiskRow>('/api/risk', chosen, EVERY_MS);
  const { ask, dialog } = useChange();
  return (
    <>
      <Heading>Risk and locks</Heading>
      <Filters>
        <Select label="Show" choices={FILTERS} value={chosen.held} onChoose={(held) => choose({ held })} />
        <SearchField value={chosen.search} onSearch={(search) => choose({ search })} />
      </Filters>
      <PagedList
        paged={risks}
        empty={chosen.held === '' ? 'No key matches.' : 'No key is locked or blocked.'}
      >
        {(items) => (
          <Table
            caption="Keys by risk, highest first"
            rows={items}
            rowKey={({ key_hash: hash }) => hash}
            columns={[...COLUMNS, ...(may('operator') ? [changes(ask, risks.reload)] : [])]}
          />
        )}
      </PagedList>
      {dialog}
    </>
  );
}

const COLUMNS: readonly Column<RiskRow>[] = [
  { title: 'Key', cell: ({ name, key_hash: hash }) => <KeyLink name={name} hash={hash} /> },
  { title: 'Owner', cell: ({ owner }) => owner },
  { title: 'Score', isNumber: true, cell: ({ risk_score: score }) => count(Math.round(score)) },
  { title: 'State', cell: (row) => <KeyState record={row} /> },
  { title: 'Cause', cell: (row) => <Cause risk={row} /> },
  { title: 'Locked until', cell: ({ locked_until: at }) => at && <Time at={at} /> },
  { title: 'Attempts while locked', isNumber: true, cell: ({ held_attempts: attempts }) => count(attempts) },
  { title: 'Taints', cell: ({ taint_flags: flags }) => <Words words={flags} none="none" /> },
  { title: 'Blocks', isNumber: true, cell: ({ total_policy_blocks: blocks }) => count(blocks) },
  { title: 'Escalations', isNumber: true, cell: ({ total_escalations: number }) => count(number) },
];

function Cause({ risk: { lock_cause: cause, lock_request_id: id } }: { readonly risk: RiskRow }) {
  return (
    <>
      {cause} {id !== null && <a href={href('requests', id)}>request</a>}
    </>
  );
}

function changes(ask: ReturnType<typeof useChange>['ask'], onDone: () => void): Column<RiskRow> {
  return {
    title: 'Changes',
    cell: (row) => (
      <div class="tools">
        {row.locked ? (
          <button type="button" aria-label={`Release ${row.name}`} onClick={() => ask(release(row, onDone))}>
            Release
          </button>
        ) : (
          <button type="button" aria-label={`Lock ${row.name}`} onClick={() => ask(lock(row, onDone))}>
            Lock
          </button>
        )}
        <button
          type="button"
          aria-label={`Reset the risk of ${row.name}`}
          onClick={() => ask(resetRisk(row, onDone))}
        >
          Reset
        </button>
      </div>
    ),
  };
}
