import { maskSecrets } from '../../detectors/mask.ts';
import { isObject } from '../../json/is-object.ts';
import { RecentMap } from '../../recent-map.ts';
import { nextTurn } from '../../turns.ts';
import type { DefinitionStore } from './definition-store.ts';
import { pinnedMembers, type ListedTool } from './tool-list.ts';

/** Longer definitions are not stored; operators can read them on the server. */
const MAX_CHARS = 16_384;
/** Maximum number of definitions stored per list. The next list continues. */
const MAX_AT_ONCE = 32;
const MAX_REMEMBERED = 10_000;

export type KeepDefinitions = (
  server: string,
  list: readonly unknown[],
  tools: readonly ListedTool[],
) => Promise<void>;

/**
 * Returns a function that stores listed definitions, each once, with secrets masked. The function never rejects,
 * because no decision depends on it.
 */
export function createKeepDefinitions(store: Pick<DefinitionStore, 'keep'>): KeepDefinitions {
  const known = new RecentMap<true>(MAX_REMEMBERED);
  return async (server, list, tools) => {
    const fresh = tools
      .filter(({ name, digest, chars }) => {
        return name !== undefined && chars <= MAX_CHARS && known.get(`${server} ${digest}`) === undefined;
      })
      .slice(0, MAX_AT_ONCE);
    if (fresh.length === 0) return;
    try {
      await store.keep(server, await written(list, fresh));
    } catch {
      return; // The next list tries again.
    }
    for (const { digest } of fresh) known.set(`${server} ${digest}`, true);
  };
}

async function written(
  list: readonly unknown[],
  tools: readonly ListedTool[],
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const { index, digest } of tools) {
    const tool = list[index];
    if (!isObject(tool)) continue;
    await nextTurn();
    texts.set(digest, maskSecrets(JSON.stringify(pinnedMembers(tool))));
  }
  await nextTurn();
  return texts;
}
