/** The requests of an agent to the model in one session, call by call. */
export interface Transcript {
  readonly name: string;
  readonly calls: readonly TranscriptCall[];
}

export interface TranscriptCall {
  readonly atSeconds: number;
  readonly provider: 'openai' | 'anthropic';
  readonly body: Record<string, unknown>;
}

type Message = Readonly<Record<string, unknown>>;

const OPENAI = { provider: 'openai' } as const;

/** Prompts without a history, one after another. */
export function prompts(name: string, texts: readonly string[], gapSeconds = 4, system?: string): Transcript {
  const before: Message[] = system === undefined ? [] : [{ role: 'system', content: system }];
  return {
    name,
    calls: texts.map((content, index) => ({
      ...OPENAI,
      atSeconds: index * gapSeconds,
      body: { model: 'gpt-4o', messages: [...before, { role: 'user', content }] },
    })),
  };
}

export interface Turn {
  readonly user: string;
  readonly answer: string;
}

/** A conversation that is repeated with every turn. */
export function chat(name: string, turns: readonly Turn[], gapSeconds = 6): Transcript {
  return {
    name,
    calls: turns.map(({ user }, index) => ({
      ...OPENAI,
      atSeconds: index * gapSeconds,
      body: {
        model: 'gpt-4o',
        messages: [
          ...turns.slice(0, index).flatMap((turn) => [
            { role: 'user', content: turn.user },
            { role: 'assistant', content: turn.answer },
          ]),
          { role: 'user', content: user },
        ],
      },
    })),
  };
}

export interface ToolStep {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string;
  /** The model's text beside the call. */
  readonly says?: string;
}

export interface AgentOptions {
  readonly instruction: string;
  readonly steps: readonly ToolStep[];
  readonly gapSeconds?: number;
  readonly system?: string;
}

/** An agent under one instruction: each request contains all earlier tool calls and their results. */
export function agent(name: string, options: AgentOptions): Transcript {
  const { instruction, steps, gapSeconds = 4, system = 'You are a coding agent. Use the tools.' } = options;
  const first: Message[] = [
    { role: 'system', content: system },
    { role: 'user', content: instruction },
  ];
  return {
    name,
    calls: [...steps, undefined].map((_step, index) => ({
      ...OPENAI,
      atSeconds: index * gapSeconds,
      body: {
        model: 'gpt-4o',
        messages: [
          ...first,
          ...steps.slice(0, index).flatMap((step, at) => openaiStep(step, `call_${String(at)}`)),
        ],
      },
    })),
  };
}

function openaiStep({ tool, args, result, says }: ToolStep, id: string): Message[] {
  return [
    {
      role: 'assistant',
      content: says ?? null,
      tool_calls: [{ id, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } }],
    },
    { role: 'tool', tool_call_id: id, content: result },
  ];
}

/** The same in Anthropic's dialect, whose results are in user messages, with a reminder of the client beside them. */
export function anthropicAgent(
  name: string,
  options: AgentOptions & { readonly reminder: string },
): Transcript {
  const { instruction, steps, gapSeconds = 4, system = 'You are a coding agent.', reminder } = options;
  return {
    name,
    calls: [...steps, undefined].map((_step, index) => ({
      provider: 'anthropic',
      atSeconds: index * gapSeconds,
      body: {
        model: 'claude-sonnet-4-5',
        max_tokens: 1024,
        system,
        messages: [
          { role: 'user', content: [{ type: 'text', text: instruction }] },
          ...steps
            .slice(0, index)
            .flatMap((step, at) => anthropicStep(step, `toolu_${String(at)}`, reminder)),
        ],
      },
    })),
  };
}

function anthropicStep({ tool, args, result, says }: ToolStep, id: string, reminder: string): Message[] {
  const words = says === undefined ? [] : [{ type: 'text', text: says }];
  return [
    { role: 'assistant', content: [...words, { type: 'tool_use', id, name: tool, input: args }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: id, content: result },
        { type: 'text', text: reminder },
      ],
    },
  ];
}

/** The same thing this many times. */
export function times<T>(count: number, make: (nth: number) => T): T[] {
  return Array.from({ length: count }, (_, nth) => make(nth));
}
