import { beforeAll, describe, inject } from 'vitest';

import { installClient, type InstalledClient } from './install.ts';
import { NOT_RUN } from './not-run.ts';
import { clientTitle, type ClientKind, type ClientRecipe } from './recipe.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Why the clients of a kind are not run, by kind; empty unless `--allow-missing` was given. */
    readonly leftOut: Readonly<Partial<Record<ClientKind, string>>>;
  }
}

/**
 * `describe` for one client, installed before its first test. If the program that runs it is missing, its tests
 * fail with a sentence that says so; under `--allow-missing` they are skipped, and listed at the end.
 */
export function describeClient(recipe: ClientRecipe, body: (client: () => InstalledClient) => void): void {
  const title = clientTitle(recipe);
  const reason = (inject('leftOut') as Partial<Record<ClientKind, string>> | undefined)?.[recipe.kind];
  if (reason !== undefined) {
    describe.skip(`${NOT_RUN}${title}: ${reason}`, () => {
      body(notThere);
    });
    return;
  }
  describe(title, () => {
    let installed: InstalledClient | undefined;
    beforeAll(async () => {
      installed = await installClient(recipe);
    });
    body(() => installed ?? notThere());
  });
}

function notThere(): never {
  throw new Error('the client is installed before the first test, not before');
}
