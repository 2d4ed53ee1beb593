import { anthropicHandler } from './anthropic.ts';
import { bedrockHandler } from './bedrock.ts';
import { cohereHandler } from './cohere.ts';
import { geminiHandler } from './gemini.ts';
import { ollamaHandler } from './ollama.ts';
import { openaiHandler } from './openai.ts';
import type { FakeHandler, FakeRequest } from './handler.ts';

const HANDLERS: readonly FakeHandler[] = [
  openaiHandler,
  ollamaHandler,
  anthropicHandler,
  geminiHandler,
  bedrockHandler,
  cohereHandler,
];

/** Prefixes under which providers serve other providers' dialects, and a gateway serves theirs. */
const PREFIX = /^\/(api|inference|openai|anthropic|gemini)(?=\/v\d)/;

/** The API that a client's headers indicate: several have `/v1/models`. */
function asked(headers: FakeRequest['headers']): FakeHandler[] {
  if ('anthropic-version' in headers) return [anthropicHandler];
  return headers['x-fern-sdk-name'] === 'cohere-ai' ? [cohereHandler] : [];
}

/** The dialect of a request, which receives it without another provider's prefix. */
export function findHandler(request: FakeRequest): { handler: FakeHandler; seen: FakeRequest } | undefined {
  const order = [...asked(request.headers), ...HANDLERS];
  for (const path of [request.path, request.path.replace(PREFIX, '')]) {
    const handler = order.find((each) => each.matches(request.method, path));
    if (handler !== undefined) return { handler, seen: { ...request, path } };
  }
  return undefined;
}
