import { describeAgent } from '../../support/clients/agents/describe-agent.ts';
import { AGENTS } from './agents.ts';

describeAgent(AGENTS.qwenCode);
