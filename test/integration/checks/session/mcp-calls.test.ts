import { describe } from 'vitest';
import { toolCalls } from './mcp-calls/tools.ts';
import { fullHistories, otherMessages, sessionHeaders, redisFailures } from './mcp-calls/others.ts';
import { useRig } from './mcp-calls/rig.ts';

useRig();

describe('a call of a tool in a session', toolCalls);
describe('a history that cannot hold a call', fullHistories);
describe('other messages of MCP', otherMessages);
describe('what session headers may say', sessionHeaders);
describe('when Redis fails', redisFailures);
