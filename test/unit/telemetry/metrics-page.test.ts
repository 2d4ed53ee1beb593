import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TELEMETRY_PAGE, exportedMetrics, telemetryPage } from '../../../build-docs.ts';

it('docs/telemetry.md lists the metrics of workers and supervisor, as `npm run docs` writes them', async () => {
  const names = (await exportedMetrics()).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['gateway_requests_total', 'gateway_ready']));
  expect(readFileSync(TELEMETRY_PAGE, 'utf8')).toBe(await telemetryPage());
});
