import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
  runConformanceSuite,
  startEverythingServer,
  type Era,
} from '../support/clients/conformance-suite.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { CLIENTS } from './versions.ts';

type Server = Awaited<ReturnType<typeof startEverythingServer>>;

const [stable, next] = CLIENTS.mcpConformance;
/** The suite, the specification's version, and how many checks pass without a gateway. */
const ROWS = [
  [stable, undefined, 'sessions', 44],
  [next, '2025-06-18', 'sessions', 56],
  [next, '2025-11-25', 'sessions', 82],
  [next, '2026-07-28', 'stateless', 153],
] as const;

describe("MCP's conformance suite", () => {
  let servers: Readonly<Record<Era, Server>>;
  let gateway: TestGateway;
  beforeAll(async () => {
    servers = {
      sessions: await startEverythingServer('sessions'),
      stateless: await startEverythingServer('stateless'),
    };
    gateway = await startGateway({
      config: {
        mcp: {
          enabled: true,
          servers: Object.entries(servers).map(([name, { url }]) => ({ name, url })),
        },
      },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    for (const server of Object.values(servers)) await server.close();
  });

  for (const [recipe, specification, era, passing] of ROWS) {
    describeClient(recipe, (suite) => {
      it(`has the same results for ${specification ?? 'its own version'} as without a gateway, check by check`, async () => {
        const direct = await runConformanceSuite(suite(), servers[era].url, specification);
        expect(Object.values(direct).filter((status) => status === 'SUCCESS')).toHaveLength(passing);
        const { rawKey } = await gateway.createKey();
        const url = `${gateway.baseUrl}/${rawKey}/mcp/${era}`;
        expect(await runConformanceSuite(suite(), url, specification)).toEqual(direct);
      });
    });
  }
});
