import { describe } from 'vitest';
import { injections, secrets, maskedSecrets } from './inspector/findings.ts';
import { uninspectable, tools, shadowMode } from './inspector/tools.ts';
import { useRig } from './inspector/rig.ts';

useRig();

describe('jailbreak strings and path traversal markers', injections);
describe('secret patterns', secrets);
describe('mcp.inspector.secrets: mask', maskedSecrets);
describe('an answer that cannot be inspected', uninspectable);
describe('tools', tools);
describe('shadow mode', shadowMode);
