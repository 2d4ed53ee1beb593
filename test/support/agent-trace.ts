import { createRandom } from './random.ts';

export interface AgentTraceOptions {
  readonly steps: number;
  /** Steps of one session before the next one begins. Eight run at the same time. */
  readonly stepsOfSession?: number;
  /** Characters of a prompt, and of a tool's longest argument. */
  readonly textChars?: number;
  /** From one step of the trace to the next. */
  readonly stepMs?: number;
}

const WORDS =
  `a the of report quarter sales customer region table summary draft update notes project deadline review team
  agenda figure chart explain compare average index query plan release branch merge service latency cache memory storage
  network order invoice payment total shipping folder document page section paragraph sentence translate shorten outline
  list steps`.split(/\s+/);
const TOOLS = ['read_file', 'search', 'list_directory', 'summarize'];
const AT_ONCE = 8;
const BEGINNING = Date.UTC(2026, 0, 5, 10);
const LINES_OF_CHUNK = 64;

/**
 * A trace for `gateway verify`, generated while it is read: alternating prompts and tool calls, no text twice, nothing
 * that the presets deny. The same in every run.
 */
export async function* agentTrace({
  steps,
  stepsOfSession = 40,
  textChars = 300,
  stepMs = 250,
}: AgentTraceOptions): AsyncGenerator<Buffer> {
  const random = createRandom(7);
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  function text(): string {
    let said = '';
    while (said.length < textChars) said += `${pick(WORDS)} `;
    return said;
  }

  function step(index: number): object {
    const round = Math.floor(index / (AT_ONCE * stepsOfSession));
    const about = {
      timestamp: new Date(BEGINNING + index * stepMs).toISOString(),
      session_id: `s-${String(round * AT_ONCE + (index % AT_ONCE))}`,
    };
    if (Math.floor(index / AT_ONCE) % 2 === 0)
      return { ...about, type: 'llm_call', provider: 'openai', model: 'gpt-4o', content: text() };
    const args = { path: `notes/${String(index)}.txt`, query: text() };
    return { ...about, type: 'mcp_tool_call', provider: 'files', tool_name: pick(TOOLS), arguments: args };
  }

  yield Buffer.from('{"version":"1","session_id":"run","agent":{"name":"planner"},"traces":[\n');
  for (let from = 0; from < steps; from += LINES_OF_CHUNK) {
    const count = Math.min(LINES_OF_CHUNK, steps - from);
    const lines = Array.from({ length: count }, (_, nth) => JSON.stringify(step(from + nth)));
    yield Buffer.from(`${from === 0 ? '' : ',\n'}${lines.join(',\n')}`);
  }
  yield Buffer.from('\n]}\n');
}
