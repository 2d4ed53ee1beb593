import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CONFIGURATION_PAGE, configurationPage } from '../../../build-docs.ts';
import { configKeys } from '../../../src/config/schema.ts';
import { explainConfig } from '../../../src/config/print.ts';

describe('the description of gateway.yaml', () => {
  it('describes each key', () => {
    const keys = configKeys();
    expect(keys.length).toBeGreaterThan(200);
    expect(keys.filter(({ isGroup, description }) => !isGroup && description === '')).toEqual([]);
  });

  it('is the page in docs/, as `npm run docs` writes it', async () => {
    expect(readFileSync(CONFIGURATION_PAGE, 'utf8')).toBe(await configurationPage());
  });

  it('precedes each key that config print --explain prints', () => {
    const written = {
      server: { port: 8081 },
      mcp: { servers: [{ name: 'files', url: 'http://127.0.0.1:9' }] },
      pricing: { overrides: { 'gpt-x': { input: 1 } } },
    };
    const text = explainConfig(written);
    expect(parse(text)).toEqual(written);
    expect(text).toContain(
      '  # Port on which clients are served. `SERVER_PORT` overrides it.\n  port: 8081\n',
    );
    expect(text).toMatch(/# Path segment of the server: [^\n]*\n +(?:- )?name: files/);
  });
});
