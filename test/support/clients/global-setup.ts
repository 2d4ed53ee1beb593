import type { TestProject } from 'vitest/node';

import { missingTool } from './install.ts';
import type { ClientKind } from './recipe.ts';

const KINDS: readonly ClientKind[] = ['npm', 'pypi', 'go'];

/** Set by `npm run clients -- --allow-missing`. */
export const ALLOW_MISSING = 'CLIENTS_ALLOW_MISSING';

/** Skips what this machine cannot run if that was allowed; otherwise its tests fail with the reason. */
export async function setup(project: TestProject): Promise<void> {
  const allowed = process.env[ALLOW_MISSING] === 'true';
  const reasons = await Promise.all(KINDS.map(async (kind) => [kind, await missingTool(kind, process.env)]));
  project.provide(
    'leftOut',
    Object.fromEntries(reasons.filter(([, reason]) => allowed && reason !== undefined)) as Partial<
      Record<ClientKind, string>
    >,
  );
}
