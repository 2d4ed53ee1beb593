import type { JSX } from 'preact';

import type { Policies } from '../../src/operator/api/schemas/rules.ts';
import { count } from '../format.ts';
import { useLoaded } from '../loaded.ts';
import { Answer } from '../parts/answer.tsx';
import { Badge, Empty, Facts, Heading } from '../parts/basics.tsx';
import { Table } from '../parts/table.tsx';
import { href } from '../route.ts';
import { Explain } from './explain.tsx';

export function PolicySet(): JSX.Element {
  const policies = useLoaded<Policies>('/api/policies');
  return (
    <>
      <Heading>Policies</Heading>
      <Answer loaded={policies}>
        {(data) =>
          data.enabled ? (
            <>
              <Shown policies={data} />
              <Explain />
            </>
          ) : (
            <Empty>
              Policies are off. Set <code>policy.enabled: true</code> with a preset, such as{' '}
              <code>policy.presets: [safety]</code>.
            </Empty>
          )
        }
      </Answer>
    </>
  );
}

function Shown({ policies }: { readonly policies: Policies }): JSX.Element {
  return (
    <>
      {policies.errors.length > 0 && (
        <Texts title="The files on disk cannot be loaded" lines={policies.errors} kind="problem" />
      )}
      {policies.warnings.length > 0 && <Texts title="Warnings" lines={policies.warnings} kind="card" />}
      <Facts
        facts={{
          Digest: policies.digest && <code>{policies.digest}</code>,
          'Default action':
            policies.default_action && `${policies.default_action.action}: ${policies.default_action.why}`,
          'First state of a session': policies.initial_state,
        }}
      />
      {policies.files.map((file) => (
        <section key={file.file} aria-label={file.file}>
          <h2>
            {file.file} <Badge tone="plain">{file.kind}</Badge>
          </h2>
          <Table
            caption={`Rules of ${file.file}`}
            rows={file.rules}
            rowKey={({ rule }) => rule}
            columns={[
              { title: 'Rule', cell: ({ rule }) => rule },
              {
                title: 'Mode',
                cell: ({ mode }) => <Badge tone={mode === 'enforce' ? 'good' : 'warn'}>{mode}</Badge>,
              },
              {
                title: 'Fired in the last hour',
                isNumber: true,
                cell: ({ fired }) =>
                  fired === 0 ? count(0) : <a href={href('decisions')}>{count(fired)}</a>,
              },
            ]}
          />
        </section>
      ))}
    </>
  );
}

function Texts({
  title,
  lines,
  kind,
}: {
  readonly title: string;
  readonly lines: readonly string[];
  readonly kind: 'problem' | 'card';
}): JSX.Element {
  return (
    <section class={kind} aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {lines.map((line, at) => (
          <li key={at}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
