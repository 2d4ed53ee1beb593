import type { JsonEdit } from '../json/path.ts';
import { listedTools } from './answer-shape.ts';
import { isObject } from '../json/is-object.ts';
import type { McpMessage } from './message.ts';

/** Reports whether a key may call a tool. Without a list, it may call all tools. */
export function mayCallTool(allowedTools: readonly string[] | undefined, tool: string): boolean {
  return allowedTools === undefined || allowedTools.includes(tool);
}

/**
 * Returns the tool list in a server's message; undefined if there is none. If the request is unknown, the form of the
 * message decides: a server's own stream may repeat an answer.
 */
export function toolListIn(
  message: unknown,
  request: McpMessage | undefined,
): readonly unknown[] | undefined {
  if (!isObject(message)) return undefined;
  const method = request?.kind === 'request' && request.id === message['id'] ? request.method : undefined;
  return method === undefined || method === 'tools/list' ? listedTools(message) : undefined;
}

/** Returns the edits that remove tools that the key may not call. */
export function hiddenTools(
  tools: readonly unknown[],
  allowedTools: readonly string[] | undefined,
): readonly JsonEdit[] {
  return tools.flatMap((tool, index): JsonEdit[] => {
    const name = isObject(tool) ? tool['name'] : undefined;
    const isShown =
      allowedTools === undefined || (typeof name === 'string' && mayCallTool(allowedTools, name));
    return isShown ? [] : [{ kind: 'remove', path: ['result', 'tools', index] }];
  });
}
