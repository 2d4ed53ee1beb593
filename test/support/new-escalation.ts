import { randomBytes, randomUUID } from 'node:crypto';
import type { NewEscalation } from '../../src/escalation/redis-store.ts';

/** A request that waits for approval; equal to no other. */
export function newEscalation(more: Partial<NewEscalation> = {}): NewEscalation {
  return {
    id: randomUUID(),
    nonce: 'AAECAwQFBgcICQoLDA0ODw',
    key_hash: 'sha256:k',
    key_name: 'planner',
    agent_name: '',
    owner: '',
    method: 'llm_call',
    provider: 'openai',
    model: 'gpt-4o',
    other_models: [],
    mcp_server: '',
    tool_name: '',
    resource_uri: '',
    prompt_name: '',
    arguments: '',
    prompt_text: '',
    session_id: '',
    rules: [],
    request_digest: `sha256:${randomBytes(32).toString('hex')}`,
    ...more,
  };
}
