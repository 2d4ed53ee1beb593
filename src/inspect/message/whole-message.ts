import { isUtf8 } from 'node:buffer';
import { addAll } from '../../add-all.ts';
import type { JsonEdit } from '../../json/path.ts';
import { isServerMessage } from '../../mcp/answer-shape.ts';
import { readMediaType } from '../../media-type.ts';
import type { Denial } from '../../pipeline/check.ts';
import type { Answered, WholeAnswer } from '../../pipeline/exchange.ts';

const ERROR_STATUS = 400;

/**
 * Returns the JSON of an MCP server's whole answer, or other content as text. Returns undefined if decoding fails, if
 * the client expects a message and gets none, or after a GET that did not fail, because clients then parse any answer
 * as a stream.
 */
export function readWholeMessage(
  { method, request, status }: Answered,
  { json, body, contentType }: Pick<WholeAnswer, 'json' | 'body' | 'contentType'>,
): unknown {
  if (method === 'GET' && status < ERROR_STATUS) return undefined;
  // The gateway decodes everything as UTF-8, but clients honour the declared charset.
  if (readMediaType(contentType).charset === 'other') return undefined;
  const isExpected = request.mcp?.kind === 'request' && status < ERROR_STATUS;
  if (isExpected) return isServerMessage(json) ? json : undefined;
  if (json !== undefined) return json;
  return isUtf8(body) ? body.toString() : undefined;
}

/** If the answer is not JSON, a single edit replaces the whole text. */
export function editWholeMessage(whole: WholeAnswer, edits: readonly JsonEdit[]): void {
  if (whole.json === undefined) {
    const text = edits.find(({ path }) => path.length === 0);
    whole.replacement = Buffer.from(text?.kind === 'set' ? String(text.value) : '');
  } else addAll(whole.edits, edits);
}

export function uninspectable(why: string): Denial {
  return {
    kind: 'deny',
    type: 'upstream_unavailable',
    message: `the MCP server's answer cannot be inspected: ${why}`,
  };
}
