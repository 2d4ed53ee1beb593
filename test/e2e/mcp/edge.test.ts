import { describe } from 'vitest';
import { addresses, authorizationServer } from './edge/addresses.ts';
import { browsers } from './edge/browsers.ts';
import { bodies } from './edge/bodies.ts';
import { headers } from './edge/headers.ts';
import { forbiddenTools, freeTools } from './edge/tools.ts';
import { failures, answerHeaders, ownStream } from './edge/answers.ts';
import { useRig } from './edge/rig.ts';

/** docs/mcp.md, docs/mcp-messages.md: refusals before an MCP server is called, and the messages that it receives. */
useRig();

describe('addresses and methods', addresses);
describe('an authorization server', authorizationServer);
describe('requests from browsers', browsers);
describe('bodies', bodies);
describe('headers', headers);
describe('a tool that a key may not call', forbiddenTools);
describe('a server that fails', failures);
describe('the headers of an answer', answerHeaders);
describe('the server’s own stream', ownStream);
freeTools();
