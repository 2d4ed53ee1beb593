import { expect, it } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { createContext, type EdgeServices } from '../../../src/extproc/context.ts';
import { forward } from '../../../src/extproc/forward.ts';
import { createRoute } from '../../../src/routing/route.ts';
import { configuredUpstreams } from '../../../src/routing/upstreams.ts';
import { parsed } from '../../integration/budget/exchange.ts';

it('a request that was forwarded keeps no copy of its prompt while its answer runs', () => {
  const written = configSchema.parse({});
  const config = { ...written, server: { ...written.server, insecure_dev: false } };
  const exchange = parsed({ body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hidden' }] } });
  const obfuscation = {
    obfuscationDetected: false,
    hasHomoglyphs: false,
    hasInvisibleChars: false,
    hasBase64Payloads: false,
    hasEncodingAttacks: false,
    hasDelimPadding: false,
  };
  exchange.facts.prompt = { normalizedTexts: ['hidden'], obfuscation };
  const context = createContext({} as EdgeServices);
  context.target = createRoute(config, configuredUpstreams(config))('POST', `/openai${exchange.path}`, '');
  forward(context, exchange, 'request_body');
  const { body, json, facts } = exchange;
  expect([body.length, json, facts.prompt]).toEqual([0, {}, undefined]);
});
