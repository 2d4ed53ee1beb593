import { setTimeout as sleep } from 'node:timers/promises';
import { MissingPartError } from '../../src/runtime/program.ts';
import { installClient } from '../support/clients/install.ts';
import type { ClientRecipe } from '../support/clients/recipe.ts';
import { chatBody, type Target } from '../support/load.ts';

/** Installs another gateway, or reports in one sentence why it is not available here. */
export async function installPeer(
  recipe: ClientRecipe,
): Promise<{ readonly home: string } | { readonly missing: string }> {
  try {
    return await installClient(recipe);
  } catch (error) {
    if (error instanceof MissingPartError) return { missing: error.message };
    throw error;
  }
}

/** Sends one prompt and returns the status of the answer. */
export async function askPeer({ port, path, headers }: Target, prompt: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: chatBody(false, prompt),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** Waits until a prompt is answered with 200. */
export async function untilAnswered(name: string, target: Target, withinSeconds: number): Promise<void> {
  const deadline = Date.now() + withinSeconds * 1_000;
  while (Date.now() < deadline) {
    if ((await askPeer(target, 'Hello').catch(() => 0)) === 200) return;
    await sleep(100);
  }
  throw new Error(`${name} did not become ready within ${String(withinSeconds)} s`);
}
