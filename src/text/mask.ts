export const MASK = '***';

/** Replaces attacks in the texts of MCP servers. */
export const REMOVED = '[Content removed: security policy]';
