/** Replaces secrets and personal data in requests, answers, logs and stored texts. */
export const MASK = '***';

/** Replaces attacks in texts from MCP servers. */
export const REMOVED = '[Content removed: security policy]';
