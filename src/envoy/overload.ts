import type { Config } from '../config/schema.ts';
import { typed, type EnvoyObject } from './layout.ts';

/** Far above what one gateway serves; Envoy warns where there is no bound at all. */
const MAX_CLIENT_CONNECTIONS = 50_000;
const HEAP = 'envoy.resource_monitors.fixed_heap';
/**
 * How far above `envoy.max_heap_bytes` the monitor measures. Envoy resets streams only where the share changes, 50 at a
 * time: a share that has reached its end resets none, and uploads that came within a moment would hold the heap until
 * their timeouts.
 */
const HEADROOM = 3;
/** HTTP/2 streams below 16 KiB are not counted among those that hold memory; each further class is twice as large. */
const SMALLEST_CLASS_POWER_OF_TWO = 14;

/**
 * What Envoy does as its heap fills up (`envoy.max_heap_bytes`), as shares of it. First the HTTP/2 streams that hold
 * most are reset, from half of it on: the wide range and the short interval give Envoy many occasions. Then new
 * requests get 503, and at last uploads over HTTP/1.1, which no reset reaches, are cut.
 */
export function overloadManager(config: Config): EnvoyObject {
  const heap = heapOverload(config);
  const connections: EnvoyObject = {
    name: 'envoy.resource_monitors.global_downstream_max_connections',
    typed_config: typed(
      'envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig',
      { max_active_downstream_connections: MAX_CLIENT_CONNECTIONS },
    ),
  };
  return { ...heap, resource_monitors: [connections, ...heap.resource_monitors] };
}

/** The same without what a mesh bounds itself, connections, which may be said once only. */
export function heapOverload({ envoy }: Config) {
  return {
    refresh_interval: '0.01s',
    resource_monitors: [
      {
        name: HEAP,
        typed_config: typed('envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig', {
          max_heap_size_bytes: HEADROOM * envoy.max_heap_bytes,
        }),
      },
    ],
    buffer_factory_config: { minimum_account_to_track_power_of_two: SMALLEST_CLASS_POWER_OF_TWO },
    actions: [
      action('reset_high_memory_stream', between(0.5, HEADROOM)),
      action('shrink_heap', from(0.8)),
      action('stop_accepting_requests', from(0.9)),
      action('stop_accepting_connections', from(0.98)),
    ],
    loadshed_points: [
      { name: 'envoy.load_shed_points.http1_server_abort_dispatch', triggers: [between(0.9, 1)] },
    ],
  };
}

function action(name: string, trigger: EnvoyObject): EnvoyObject {
  return { name: `envoy.overload_actions.${name}`, triggers: [trigger] };
}

function from(share: number): EnvoyObject {
  return { name: HEAP, threshold: { value: share / HEADROOM } };
}

/** Grows from nothing at the one share to all at the other. */
function between(beginning: number, all: number): EnvoyObject {
  return {
    name: HEAP,
    scaled: { scaling_threshold: beginning / HEADROOM, saturation_threshold: all / HEADROOM },
  };
}
