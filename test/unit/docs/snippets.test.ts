import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { defaultConfig } from '../../support/default-config.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const PAGES = ['docs/redis.md', 'docs/egress.md', 'docs/kubernetes.md'] as const;
const FENCE = /^```yaml\n([\s\S]*?)^```$/gm;

function snippetsOf(page: string): Record<string, unknown>[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(FENCE)].flatMap(([, yaml = '']) =>
    // With the values of the file loader, whatever the machine has.
    parseAllDocuments(yaml.replaceAll(/\$\{[A-Z_]+(?::-)?\}/g, 'filled-in')).map(
      (document) => document.toJS() as Record<string, unknown>,
    ),
  );
}

describe.each(PAGES)('%s', (page) => {
  it('shows settings that are valid, and resources that declare their kind', () => {
    const snippets = snippetsOf(page);
    expect(snippets).not.toEqual([]);
    for (const snippet of snippets) {
      if ('apiVersion' in snippet) expect(snippet).toHaveProperty('kind');
      else expect(() => defaultConfig(snippet as ConfigInput)).not.toThrow();
    }
  });
});
