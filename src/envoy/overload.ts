import type { Config } from '../config/schema.ts';
import { extension, type EnvoyObject } from './layout.ts';

/**
 * Maximum number of client connections, far above the traffic of one gateway. Without a limit, Envoy logs a warning.
 */
const MAX_CLIENT_CONNECTIONS = 50_000;
const HEAP = 'envoy.resource_monitors.fixed_heap';
/**
 * The monitor's maximum, as a multiple of `envoy.max_heap_bytes`. Envoy resets streams only when the pressure changes,
 * 50 at a time. At the maximum, the pressure would no longer change, and concurrent uploads would occupy the heap until
 * they time out.
 */
const HEADROOM = 3;
/** HTTP/2 streams below 16 KiB are not tracked; each further class is twice as large. */
const SMALLEST_CLASS_POWER_OF_TWO = 14;

/**
 * Returns the limit on client connections, and Envoy's reactions to a filling heap, as shares of
 * `envoy.max_heap_bytes`. Above half of it, Envoy resets the largest HTTP/2 streams; a wide range and a short interval
 * let it act often. Above 90 %, new requests get 503, and HTTP/1.1 uploads, which cannot be reset, are aborted, more of
 * them the fuller the heap is. Above 98 %, Envoy accepts no new connections.
 */
export function overloadManager(config: Config): EnvoyObject {
  const heap = heapOverload(config);
  const connections = extension(
    'envoy.resource_monitors.global_downstream_max_connections',
    'envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig',
    { max_active_downstream_connections: MAX_CLIENT_CONNECTIONS },
  );
  return { ...heap, resource_monitors: [connections, ...heap.resource_monitors] };
}

/** Returns the reactions without the connection limit, which a mesh sets itself. */
export function heapOverload({ envoy }: Config) {
  return {
    refresh_interval: '0.01s',
    resource_monitors: [
      extension(HEAP, 'envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig', {
        max_heap_size_bytes: HEADROOM * envoy.max_heap_bytes,
      }),
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

function between(beginning: number, all: number): EnvoyObject {
  return {
    name: HEAP,
    scaled: { scaling_threshold: beginning / HEADROOM, saturation_threshold: all / HEADROOM },
  };
}
