import { createHash } from 'node:crypto';

import type { Config } from '../config/schema.ts';

/** Returns an id derived from a gateway's listeners, Redis and enforcement settings. It reveals no secret. */
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
