import type { StreamReader } from '../../src/providers/dialect.ts';
import { type ProviderName, providers } from '../../src/providers/registry.ts';

/** Reads the streams of a provider's endpoint. */
export function streamReaderOf(provider: ProviderName, path: string, query = ''): StreamReader {
  const reader = providers[provider].endpoint('POST', path, query)?.dialect.stream();
  if (reader === undefined) throw new Error(`${path} does not stream`);
  return reader;
}
