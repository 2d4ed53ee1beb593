/** Whether a key may call a tool: any where it has no list, else those that the list names, letter by letter. */
export function mayCallTool(allowedTools: readonly string[] | undefined, tool: string): boolean {
  return allowedTools === undefined || allowedTools.includes(tool);
}
