import { describe } from 'vitest';
import { toolCalls } from './mcp-calls/tools.ts';
import { fullHistories, otherMessages, sessionHeaders, redisFailures } from './mcp-calls/others.ts';
import { useRig } from './mcp-calls/rig.ts';

useRig();

describe('a tool call in a session', toolCalls);
describe('a history that cannot hold a call', fullHistories);
describe('other MCP messages', otherMessages);
describe('values of session headers', sessionHeaders);
describe('when Redis fails', redisFailures);
