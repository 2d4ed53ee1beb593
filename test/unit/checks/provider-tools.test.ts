import { describe, expect, it } from 'vitest';
import { createProviderToolsCheck } from '../../../src/checks/provider-tools/check.ts';
import { applyEdits } from '../../../src/json/edit.ts';
import type { Parsed } from '../../../src/pipeline/exchange.ts';
import type { JsonObject, ProviderTool } from '../../../src/providers/provider.ts';

function parsed(json: JsonObject, indexes: readonly number[], forced = false): Parsed {
  const providerTools: ProviderTool[] = indexes.map((index) => ({
    type: 'web_search',
    remove: [{ kind: 'remove', path: ['tools', index] }],
    forced,
  }));
  return { json, request: { providerTools }, edits: [], responseHeaders: new Map() } as unknown as Parsed;
}

const check = createProviderToolsCheck({ allowed: ['file_search'], action: 'remove', storedPrompts: 'deny' });
const FUNCTION = { type: 'function', name: 'f' };
const SEARCH = { type: 'web_search' };

describe('tools that the provider runs itself', () => {
  it('are taken out, and the others stay', async () => {
    const json = { tools: [SEARCH, FUNCTION, SEARCH], tool_choice: 'auto' };
    const exchange = parsed(json, [0, 2]);
    expect((await check.requestBody?.(exchange, undefined))?.kind).toBe('flag');
    const edited = applyEdits(Buffer.from(JSON.stringify(json)), exchange.edits).toString();
    expect(JSON.parse(edited)).toEqual({ tools: [FUNCTION], tool_choice: 'auto' });
    expect(exchange.responseHeaders.get('x-gateway-tools-removed')).toBe('web_search');
  });

  it('take the list and its choice with them where nothing else is left, since providers refuse an empty list', async () => {
    const json = { model: 'm', tools: [SEARCH], tool_choice: 'auto' };
    const exchange = parsed(json, [0]);
    await check.requestBody?.(exchange, undefined);
    const edited = applyEdits(Buffer.from(JSON.stringify(json)), exchange.edits).toString();
    expect(JSON.parse(edited)).toEqual({ model: 'm' });
  });

  it('are denied where the request forces one, or under proxy.provider_tools_action: deny', async () => {
    const forced = await check.requestBody?.(parsed({ tools: [SEARCH] }, [0], true), undefined);
    expect(forced).toMatchObject({ kind: 'deny', type: 'policy_denied' });
    const strict = createProviderToolsCheck({ allowed: [], action: 'deny', storedPrompts: 'deny' });
    expect((await strict.requestBody?.(parsed({ tools: [SEARCH] }, [0]), undefined))?.kind).toBe('deny');
  });

  it('stay where proxy.provider_tools names them', async () => {
    const allowing = createProviderToolsCheck({
      allowed: ['web_search'],
      action: 'deny',
      storedPrompts: 'deny',
    });
    expect((await allowing.requestBody?.(parsed({ tools: [SEARCH] }, [0]), undefined))?.kind).toBe('pass');
  });
});

describe('what is stored at the provider', () => {
  const storing = { ...parsed({}, []), request: { providerTools: [], storedPrompt: 'prompt' } };
  const judged = (storedPrompts: 'deny' | 'allow') => {
    const stored = createProviderToolsCheck({ allowed: [], action: 'remove', storedPrompts });
    return stored.requestBody?.(storing as unknown as Parsed, undefined);
  };

  it('is denied, and told how it would pass', async () => {
    expect(await judged('deny')).toMatchObject({
      kind: 'deny',
      type: 'policy_denied',
      message: expect.stringContaining('proxy.stored_prompts') as string,
    });
  });

  it('passes under proxy.stored_prompts: allow', async () => {
    expect((await judged('allow'))?.kind).toBe('pass');
  });
});
