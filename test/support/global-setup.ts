import type { TestProject } from 'vitest/node';

import { findEnvoy } from '../../src/runtime/envoy-binary.ts';
import { dockerAnswers } from '../../src/runtime/program.ts';
import { findRedisServer } from '../../src/runtime/redis-server.ts';
import { builtGateway } from './built-gateway.ts';
import './parts.ts';

/** Finds the real Redis and Envoy and builds the gateway once, and hands them to every test file. */
export async function setup(project: TestProject): Promise<void> {
  function progress(message: string): void {
    process.stderr.write(`${message}\n`);
  }
  const environment = process.env;
  const [redis, envoy, gateway, docker] = await Promise.all([
    findRedisServer(environment, progress),
    findEnvoy({ environment, progress }),
    builtGateway(),
    dockerAnswers(environment),
  ]);
  project.provide('parts', { redis, envoyPath: envoy.path, gateway, docker });
}
