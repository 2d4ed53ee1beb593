import { expect, it } from 'vitest';
import { diagnoseEngines } from '../../../../cli/doctor/engines.ts';
import { defaultConfig } from '../../../support/default-config.ts';

it.each([
  ['quarantine', 'secrets quarantine the key'],
  ['mask', 'secrets are masked'],
  ['mask_unscored', 'secrets are masked without a risk score'],
] as const)('reports how the inspector treats secrets: %s', (secrets, how) => {
  const found = diagnoseEngines(defaultConfig({ mcp: { enabled: true, inspector: { secrets } } }));
  const messages = found.map(({ message }) => message);
  expect(messages).toContain(`tool response inspector: on, MCP servers: 0; ${how}`);
});
