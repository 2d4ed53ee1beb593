import { ERROR_STATUS } from '../../src/errors.ts';
import type { ImmediateResponse } from '../../src/extproc/wire/messages.ts';

/** Throws unless a refusal is JSON in the gateway's own format: of the API, or of JSON-RPC at an MCP server. */
export function assertRefusal({ status, headers, body }: ImmediateResponse, isMcp: boolean): void {
  const json = JSON.parse(body.toString()) as Record<string, unknown>;
  const type = headers.set_headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  if (type !== 'application/json') throw new Error(`a refusal of type ${String(type)}`);
  if (isMcp && 'jsonrpc' in json) return assertRpc(json);
  const { error, type: kind } = json;
  if (typeof error !== 'string' || error === '') throw new Error('a refusal without words');
  if (typeof kind !== 'string' || !Object.hasOwn(ERROR_STATUS, kind)) throw new Error('a refusal of no type');
  if (status < 400 || status > 599) throw new Error(`a refusal with status ${String(status)}`);
}

function assertRpc(json: Record<string, unknown>): void {
  const { code, message } = (json['error'] ?? {}) as Record<string, unknown>;
  if (json['jsonrpc'] !== '2.0' || !Number.isInteger(code) || typeof message !== 'string')
    throw new Error('a refusal that is no JSON-RPC error');
}
