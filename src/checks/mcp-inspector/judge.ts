import type { McpConfig } from '../../config/sections/mcp.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import { inTurns, isTurnOver, nextTurn } from '../../turns.ts';
import { toolListIn } from '../../mcp/hidden-tools.ts';
import type { Inspect, Inspection, Uninspected } from './inspect.ts';
import type { PinState, PinStore } from './pins.ts';
import { fixedAmong, redactions } from './redact.ts';
import {
  pinnable,
  readTools,
  statesOf,
  withheldTools,
  type ListedTool,
  type Withholding,
} from './tool-list.ts';

/** What is to be done about a message. */
export interface Judgement extends Inspection {
  /** Everything that is taken out. */
  readonly edits: readonly JsonEdit[];
  readonly withheld: ReadonlyMap<ListedTool, Withholding>;
  /** Tools whose definition differs from its pin, or has none for want of room. */
  readonly changed: readonly ListedTool[];
}

/** A message, or why it cannot be judged. */
export type Judged = Judgement | Uninspected;

export type Judge = (exchange: Answered, message: unknown) => Promise<Judged>;

export interface JudgeDeps {
  readonly config: McpConfig;
  readonly pins: PinStore;
  readonly inspect: Inspect;
}

const NO_TOOLS: readonly ListedTool[] = [];
const NONE_WITHHELD: ReadonlyMap<ListedTool, Withholding> = new Map();

/** @throws GatewayError redis_unavailable */
export function createJudge({ config, pins, inspect }: JudgeDeps): Judge {
  const pinModes = new Map(config.servers.map(({ name, pin }) => [name, pin]));

  async function comparePins(server: string, tools: readonly ListedTool[]): Promise<readonly PinState[]> {
    const shown = pinnable(tools);
    return shown.length === 0 ? [] : pins.show(server, shown);
  }

  return async (exchange, message) => {
    if (isTurnOver()) await nextTurn();
    const server = exchange.mcp?.server ?? '';
    const mode = pinModes.get(server) ?? 'off';
    const list = toolListIn(message, exchange.request.mcp);
    const tools = list === undefined ? NO_TOOLS : await readTools(list);
    const [inspection, told] = await Promise.all([
      inspect(message, server),
      mode === 'off' ? [] : comparePins(server, tools),
    ]);
    if ('refusal' in inspection) return inspection;
    const hits = [...inspection.attacks, ...inspection.secrets];
    if ((await inTurns(fixedAmong(hits))).size > 0) {
      const refusal =
        'it has a secret or an attack in a part that cannot be changed (its id, method or version)';
      return { refusal, secrets: inspection.secrets };
    }
    const states = mode === 'off' ? new Map<ListedTool, PinState>() : statesOf(tools, told);
    const rules = { blocks: mode === 'block', states, attacks: inspection.attacks };
    const withheld = tools.length === 0 ? NONE_WITHHELD : await inTurns(withheldTools(tools, rules));
    const removals = [...withheld.keys()].map(({ index }): JsonEdit => ({
      kind: 'remove',
      path: ['result', 'tools', index],
    }));
    return {
      ...inspection,
      edits: [...(await redactions(hits)), ...removals],
      withheld,
      changed: tools.filter((tool) => isChanged(states.get(tool), mode)),
    };
  };
}

function isChanged(state: PinState | undefined, mode: 'off' | 'warn' | 'block'): boolean {
  return state === 'changed' || state === 'full' || (state === 'held' && mode === 'block');
}
