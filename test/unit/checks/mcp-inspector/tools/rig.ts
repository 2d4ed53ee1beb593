import type { JsonObject } from '../../../../../src/json/is-object.ts';
import { result } from '../rig.ts';

export const LIST: JsonObject = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

export const tool = (name: string, fields: JsonObject = {}): JsonObject => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: {} },
  ...fields,
});

export const list = (...tools: unknown[]): JsonObject => result({ tools, nextCursor: 'more' });

export const namesIn = (body: string): unknown[] =>
  (JSON.parse(body) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
