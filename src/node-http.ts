/**
 * What we use of `node:http`. An ES module that imports it by name loads the whole of undici too, for an export
 * `WebSocket` that is there only when somebody reads it: 5 MB that stay, and 40 ms of a start's CPU.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http');
