import type { Agent } from '../../support/clients/agents/agent.ts';
import { npm, pypi } from '../../support/clients/recipe.ts';

/** Their installers take the program for this machine from a separate package. */
const PROGRAM_IS_LINKED = true;

type AgentName =
  'claudeCode' | 'codex' | 'geminiCli' | 'qwenCode' | 'opencode' | 'continueCli' | 'cline' | 'aider' | 'llm';

/** The agents that the suite runs, each as set up on its page. To try a newer one, change its version here. */
export const AGENTS: Readonly<Record<AgentName, Agent>> = {
  claudeCode: {
    recipe: npm('@anthropic-ai/claude-code', '2.1.330', [], PROGRAM_IS_LINKED),
    page: 'claude-code.md',
    provider: 'anthropic',
    search: { tool: 'WebSearch', type: 'web_search_20250305' },
    quiet: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // Otherwise tools of MCP servers are looked up first, which no fake model does well.
      ENABLE_TOOL_SEARCH: 'false',
    },
    loop: 'reads_file',
    speaksMcp: true,
  },
  codex: {
    recipe: npm('@openai/codex', '0.169.0'),
    page: 'codex.md',
    provider: 'openai',
    quiet: {},
    loop: 'reads_file',
    speaksMcp: true,
    errorFormat: 'native',
    instead: { budget: /Quota exceeded\. Check your plan/ },
  },
  geminiCli: {
    recipe: npm('@google/gemini-cli', '0.61.0'),
    page: 'gemini-cli.md',
    provider: 'gemini',
    search: { tool: 'google_web_search', type: 'googleSearch' },
    quiet: { GEMINI_TELEMETRY_ENABLED: 'false' },
    loop: 'reads_file',
    speaksMcp: true,
  },
  qwenCode: {
    recipe: npm('@qwen-code/qwen-code', '0.24.4'),
    page: 'qwen-code.md',
    provider: 'openai',
    quiet: {},
    loop: 'reads_file',
    speaksMcp: true,
  },
  opencode: {
    recipe: npm('opencode-ai', '1.18.33', [], PROGRAM_IS_LINKED),
    page: 'opencode.md',
    provider: 'openai',
    quiet: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
    loop: 'reads_file',
    speaksMcp: true,
    mostRefused: { budget: 9 },
  },
  continueCli: {
    recipe: npm('@continuedev/cli', '1.5.47'),
    page: 'continue.md',
    provider: 'openai',
    quiet: { CONTINUE_TELEMETRY_ENABLED: '0' },
    loop: 'reads_file',
    speaksMcp: true,
    mostRefused: { budget: 11 },
  },
  cline: {
    recipe: npm('cline', '3.0.65', [], PROGRAM_IS_LINKED),
    page: 'cline.md',
    provider: 'openai',
    quiet: { CLINE_TELEMETRY_DISABLED: '1', CLINE_NO_AUTO_UPDATE: '1' },
    loop: 'reads_file',
    speaksMcp: true,
  },
  aider: {
    recipe: pypi('aider-chat', '0.86.2'),
    page: 'aider.md',
    provider: 'openai',
    quiet: { AIDER_ANALYTICS: 'false', AIDER_CHECK_UPDATE: 'false' },
    loop: 'edits_file',
    speaksMcp: false,
    errorFormat: 'native',
    mostRefused: { budget: 9 },
  },
  llm: {
    recipe: pypi('llm', '0.36'),
    page: 'llm.md',
    provider: 'openai',
    quiet: {},
    loop: 'calls_tool',
    speaksMcp: false,
    errorFormat: 'native',
  },
};
