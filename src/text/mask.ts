/** Stands for secrets and other hidden text. */
export const MASK = '***';

/** Replaces attacks in what MCP servers say. */
export const REMOVED = '[Content removed: security policy]';
