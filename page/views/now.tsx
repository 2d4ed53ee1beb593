import { useMemo } from 'preact/hooks';

import type { GatewayState, Overview } from '../../src/operator/api/schemas/traffic.ts';
import { count, percent, shortId, usd } from '../format.ts';
import { useLoaded } from '../loaded.ts';
import { Answer } from '../parts/answer.tsx';
import { Badge, Empty, Facts, Heading, Time, type Tone } from '../parts/basics.tsx';
import { Plot } from '../parts/plot.tsx';
import { Table } from '../parts/table.tsx';
import { href } from '../route.ts';

const EVERY_MS = 5_000;
const CERTIFICATE_WARNING_DAYS = 14;

export function Now() {
  const overview = useLoaded<Overview>('/api/overview', EVERY_MS);
  return (
    <>
      <Heading>Now</Heading>
      <Answer loaded={overview}>{(data) => <Shown overview={data} />}</Answer>
    </>
  );
}

function Shown({
  overview: { gateways, redis, audit, providers, traffic, ...counts },
}: {
  readonly overview: Overview;
}) {
  return (
    <>
      {counts.waiting_approvals > 0 && (
        <p>
          <a href={href('approvals')}>Calls waiting for approval: {count(counts.waiting_approvals)}</a>
        </p>
      )}
      {counts.proxy_keys === 0 && (
        <Empty>
          No client can send requests yet. <a href={href('keys')}>Create the first key</a>.
        </Empty>
      )}
      <h2>Gateways</h2>
      <div class="cards">
        {gateways.map((gateway) => (
          <Gateway key={gateway.id} gateway={gateway} />
        ))}
        <section class="card" aria-label="Redis">
          <h3>Redis {redis.version}</h3>
          <Facts
            facts={{
              Memory: memory(redis.used_memory_bytes, redis.max_memory_bytes),
              Clients: count(redis.connected_clients),
              Entries: count(redis.keys),
              'Proxy keys': <a href={href('keys')}>{count(counts.proxy_keys)}</a>,
            }}
          />
        </section>
      </div>
      <h2>The last hour</h2>
      {audit ? <LastHour traffic={traffic} providers={providers} /> : <NoAudit />}
    </>
  );
}

function NoAudit() {
  return (
    <Empty>
      The audit trail is off, so requests are not shown. Set <code>audit.enabled: true</code> in gateway.yaml.
    </Empty>
  );
}

function memory(used: number, max: number): string {
  const mib = (bytes: number): string => `${count(Math.round(bytes / 1_048_576))} MiB`;
  return max === 0 ? mib(used) : `${mib(used)} of ${mib(max)}`;
}

function Gateway({ gateway }: { readonly gateway: GatewayState }) {
  return (
    <section class="card" aria-label={`Gateway ${gateway.host}`}>
      <h3>{gateway.host}</h3>
      <p class="words">
        {stateBadges(gateway).map(([tone, text]) => (
          <Badge key={text} tone={tone}>
            {text}
          </Badge>
        ))}
      </p>
      <Facts
        facts={{
          Version: gateway.version,
          Workers: `${count(gateway.workers.ready)} of ${count(gateway.workers.wanted)} ready`,
          Started: <Time at={gateway.started_at} />,
          Policies: gateway.policy.enabled ? (
            <code>{shortId(gateway.policy.digest ?? 'unknown')}</code>
          ) : (
            'off'
          ),
          'Broken policies on disk': gateway.policy.broken,
          'gateway.yaml on disk is not in effect': gateway.config_not_in_force,
          'Crash loops': gateway.crash_loops.join(', '),
          'Certificate, days left':
            gateway.certificate_days === null ? null : count(gateway.certificate_days),
        }}
      />
    </section>
  );
}

function stateBadges(gateway: GatewayState): readonly (readonly [Tone, string])[] {
  const found: (readonly [Tone, string])[] = [];
  if (gateway.draining) found.push(['warn', 'draining']);
  else found.push(gateway.ready ? ['good', 'ready'] : ['bad', 'not ready']);
  if (gateway.redis !== 'up') found.push(['bad', `Redis ${gateway.redis}`]);
  if (gateway.shadow_mode) found.push(['warn', 'shadow mode: policies and detectors only record']);
  if (gateway.policy.broken !== null) found.push(['bad', 'policies broken']);
  if (gateway.config_not_in_force !== null) found.push(['warn', 'configuration not in effect']);
  if (gateway.certificate_days !== null && gateway.certificate_days < CERTIFICATE_WARNING_DAYS) {
    found.push(['warn', 'certificate expires soon']);
  }
  return found;
}

function LastHour({ traffic, providers }: Pick<Overview, 'traffic' | 'providers'>) {
  const { times, requests, spend } = useMemo(() => {
    const values = (name: 'requests' | 'refused' | 'errors' | 'spend_usd'): number[] =>
      traffic.map((point) => point[name]);
    return {
      times: traffic.map(({ at }) => at),
      requests: [
        { title: 'Requests', color: '--accent', values: values('requests') },
        { title: 'Refused', color: '--warn', values: values('refused'), dash: [6, 4] },
        { title: 'Errors', color: '--bad', values: values('errors'), dash: [2, 3] },
      ] as const,
      spend: [{ title: 'Spend', color: '--good', values: values('spend_usd') }] as const,
    };
  }, [traffic]);
  if (providers.length === 0) {
    return (
      <Empty>
        No requests in the last hour. <a href={href('connect')}>Connect a client</a> to see them here.
      </Empty>
    );
  }
  return (
    <>
      <div class="cards wide">
        <Plot title="Requests per minute" times={times} series={requests} format={count} />
        <Plot title="Spend per minute" times={times} series={spend} format={usd} />
      </div>
      <h2>Providers, last hour</h2>
      <Table
        caption="Providers, last hour"
        rows={providers}
        rowKey={({ provider }) => provider}
        columns={[
          { title: 'Provider', cell: ({ provider }) => provider },
          { title: 'Requests', isNumber: true, cell: ({ requests: number }) => count(number) },
          { title: 'Refused', isNumber: true, cell: ({ refused }) => count(refused) },
          { title: 'Errors', isNumber: true, cell: ({ errors }) => count(errors) },
          {
            title: 'Error rate',
            isNumber: true,
            cell: ({ errors, requests: number }) => percent(errors, number),
          },
          { title: 'Spend', isNumber: true, cell: ({ spend_usd: spent }) => usd(spent) },
        ]}
      />
    </>
  );
}
