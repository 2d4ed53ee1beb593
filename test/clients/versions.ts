import { go, npm, pypi } from '../support/clients/recipe.ts';
import type { ClientRecipe } from '../support/clients/recipe.ts';

/**
 * Every client that the suite runs: the oldest version of each that still runs on the Python and Node of today and
 * speaks the provider's present API, and the newest that was tried. To try a newer one, change it here.
 */
export const CLIENTS = {
  openaiPython: [
    // The first 1.x that calls tools; httpx 0.28 took away what it builds its connection with.
    pypi('openai', '1.6.1', ['httpx==0.27.2']),
    pypi('openai', '3.54.0'),
  ],
  openaiJs: [npm('openai', '4.104.0'), npm('openai', '7.57.0')],
  openaiGo: [go('github.com/openai/openai-go', 'v1.12.0'), go('github.com/openai/openai-go/v3', 'v3.96.0')],
} as const satisfies Readonly<Record<string, readonly ClientRecipe[]>>;
