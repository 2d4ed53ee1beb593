import type { JsonEdit } from '../json/path.ts';
import { listedTools } from './answer-shape.ts';
import { isObject } from '../json/is-object.ts';
import type { McpMessage } from './message.ts';

/** Whether a key may call a tool: any where it has no list, else those that the list names, letter by letter. */
export function mayCallTool(allowedTools: readonly string[] | undefined, tool: string): boolean {
  return allowedTools === undefined || allowedTools.includes(tool);
}

/**
 * The list of tools that a server's message is; undefined where it is none. By its form where nobody knows what was
 * asked: on the server's own stream an answer may come once more.
 */
export function toolListIn(message: unknown, asked: McpMessage | undefined): readonly unknown[] | undefined {
  if (!isObject(message)) return undefined;
  const method = asked?.kind === 'request' && asked.id === message['id'] ? asked.method : undefined;
  return method === undefined || method === 'tools/list' ? listedTools(message) : undefined;
}

/** Takes out of a list of tools those that a key may not call. */
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
