import { createHash } from 'node:crypto';

import type { Config } from '../config/schema.ts';

/** Returns an id of a gateway, derived from its listeners, state and enforcement settings. Holds no secret. */
export function gatewayIdentity({ server, redis, policy, mcp }: Config): string {
  const { host, port, admin_port, public_url, shadow_mode, tls, dlp } = server;
  const parts = [
    { host, port, admin_port, public_url, shadow_mode, tls, dlp },
    [redis.addr, redis.cluster.addrs, redis.sentinel.addrs],
    [policy.enabled, policy.policy_file, policy.policy_dir, policy.presets, policy.overrides],
    [mcp.enabled, mcp.servers.map(({ name }) => name)],
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
