import { describe, expect, it } from 'vitest';

import { CLIENTS } from '../../../clients/versions.ts';
import type { ClientRecipe } from '../../../support/clients/recipe.ts';

describe('the versions of clients', () => {
  const recipes: ClientRecipe[] = Object.values(CLIENTS).flat();

  it('name each client and version once: a folder is of one recipe', () => {
    const folders = recipes.map(({ kind, name, version }) => `${kind} ${name} ${version}`);
    expect(new Set(folders).size).toBe(folders.length);
  });

  it('are exact, also those of companion packages', () => {
    for (const { version, kind, with: beside } of recipes) {
      expect(version).toMatch(/^v?\d+\.\d+\.\d+/);
      for (const other of beside) expect(other).toMatch(kind === 'pypi' ? /==\d/ : /@v?\d/);
    }
  });
});
