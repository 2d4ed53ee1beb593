/**
 * The used parts of `node:http`. A named import from an ES module would load all of undici for an unused
 * `WebSocket` export: 5 MB of memory and 40 ms of CPU at start.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http');
