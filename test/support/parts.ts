import { inject } from 'vitest';

import { findEnvoy } from '../../src/runtime/envoy-binary.ts';
import { findRedisServer, type RedisProgram } from '../../src/runtime/redis-server.ts';
import { builtGateway } from './built-gateway.ts';

/** The real parts that tests run against, found once for all test files. */
export interface Parts {
  readonly redis: RedisProgram;
  readonly envoyPath: string;
  /** The built program, as users install it: the argument of Node for `gateway`. */
  readonly gateway: string;
  /** Whether a docker engine answers, so that testcontainers can be used. */
  readonly docker: boolean;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly parts: Parts;
  }
}

/** The Redis program, even without the global set-up. */
export async function redisProgram(): Promise<RedisProgram> {
  return provided()?.redis ?? (await findRedisServer(process.env));
}

/** The Envoy binary, even without the global set-up. */
export async function envoyPath(): Promise<string> {
  return provided()?.envoyPath ?? (await findEnvoy({ environment: process.env })).path;
}

/** The built program, even without the global set-up. */
export async function gatewayProgram(): Promise<string> {
  return provided()?.gateway ?? (await builtGateway());
}

export function dockerIsUp(): boolean {
  return provided()?.docker ?? false;
}

function provided(): Parts | undefined {
  return inject('parts') as Parts | undefined;
}
