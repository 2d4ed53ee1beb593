import type { McpConfig } from '../../config/sections/mcp.ts';
import { createPatternDetector } from '../../detectors/expression.ts';
import { findCredentials } from '../../detectors/credentials/credentials.ts';
import type { Detector, Finding } from '../../detectors/finding.ts';
import { DENY_SCORE, learnedInjections } from '../../detectors/learned/injection.ts';
import { findToolPoisoning } from '../../detectors/injection/poisoning.ts';
import { findPathTraversal } from '../../detectors/traversal/path-traversal.ts';
import { findPromptInjection } from '../../detectors/injection/prompt-injection.ts';
import { customRule, groupOf } from '../../detectors/tool-rules.ts';
import { isAnswer, isDefinitions, isOnlyDefinitions, toolListIn } from '../../mcp/answer-shape.ts';
import { fixedAmong, redactions } from '../../inspect/message/edits.ts';
import { findInTexts, type PlacedFinding } from '../../inspect/message/search.ts';
import { readTexts } from '../../inspect/message/texts.ts';
import type { CredentialsOf } from './server-credentials.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import { isTurnOver, nextTurn } from '../../turns.ts';
import type { KeepDefinitions } from './keep-definitions.ts';
import type { PinState, PinStore } from './store.ts';
import {
  type ListedTool,
  pinnable,
  readListedTools,
  statesOf,
  withheldTools,
  type Withholding,
} from './tool-list.ts';

/** Findings in a server message. */
export interface Inspection {
  readonly attacks: readonly PlacedFinding[];
  readonly secrets: readonly PlacedFinding[];
  /** Passwords to mask (`mcp.inspector.credentials`). */
  readonly credentials: readonly PlacedFinding[];
  /** Injections found by the model that stay in the message (`mcp.inspector.learned_injections: flag`). */
  readonly suspected: readonly PlacedFinding[];
  /** Rules that matched but are suppressed for the server. */
  readonly suppressed: ReadonlySet<string>;
}

export interface Uninspected {
  readonly refusal: string;
  /** Secrets found in the message, which are reported in spite of the refusal. */
  readonly secrets: readonly PlacedFinding[];
}

/** Inspects a message or any other value from a server, or returns why it cannot be inspected. */
export type Inspect = (message: unknown, server: string) => Promise<Inspection | Uninspected>;

export const inspectNothing: Inspect = () =>
  Promise.resolve({ attacks: [], secrets: [], credentials: [], suspected: [], suppressed: new Set() });

export interface InspectDeps {
  readonly config: McpConfig;
  readonly credentialsOf: CredentialsOf;
}

const MASKED: ReadonlySet<string> = new Set(['secret', 'credentials']);

/** Smaller numbers are not scanned, because credentials have at least eight characters. */
const LEAST_NUMBER = 1e7;

/** @throws Error for an invalid custom pattern */
export function createInspect({ config: { inspector, servers }, credentialsOf }: InspectDeps): Inspect {
  const custom = inspector.custom_injection_patterns.map((pattern, index) =>
    createPatternDetector(pattern, customRule(index)),
  );
  const masked = inspector.credentials === 'mask' ? [findCredentials] : [];
  const byRules = [findPromptInjection, findPathTraversal, ...custom, ...masked];
  const { learned_injections: learnedAction } = inspector;
  const learned = learnedAction === 'off' ? [] : [learnedInjections(DENY_SCORE)];
  const suppressedAt = new Map(servers.map(({ name, suppress }) => [name, new Set(suppress)]));
  return async (message, server) => {
    const definitions = isDefinitions(message);
    const credentials = credentialsOf(server);
    const texts = await readTexts(message, {
      apart: definitions && !isAnswer(message),
      leastNumber: credentials.hasNumbers ? LEAST_NUMBER : undefined,
    });
    if (texts === undefined) return { refusal: 'it has more text than can be inspected', secrets: [] };
    const suppression = new Suppression(suppressedAt.get(server));
    const detectors = [
      ...(definitions ? [findToolPoisoning] : []),
      ...byRules,
      ...(isOnlyDefinitions(message) ? [] : learned),
    ];
    const { findings: placed, isWhole } = await findInTexts(texts, {
      detectors: detectors.map((detector) => suppression.over(detector)),
      known: credentials,
      counts: (secret) => suppression.leaves(secret),
    });
    const secrets = placed.filter(({ finding }) => finding.class === 'secret');
    if (!isWhole)
      return { refusal: 'it has more secrets and attacks than can be removed from one message', secrets };
    const attacks = placed.filter(({ finding }) => !MASKED.has(finding.class));
    return {
      attacks: learnedAction === 'flag' ? attacks.filter((attack) => !isLearned(attack)) : attacks,
      suspected: learnedAction === 'flag' ? attacks.filter(isLearned) : [],
      secrets,
      credentials: placed.filter(({ finding }) => finding.class === 'credentials'),
      suppressed: suppression.seen,
    };
  };
}

function isLearned({ finding }: PlacedFinding): boolean {
  return finding.detector === 'injection_learned';
}

/** Drops findings that an operator declared harmless for a server (`mcp.servers[].suppress`). */
class Suppression {
  readonly seen = new Set<string>();
  readonly #rules: ReadonlySet<string>;

  constructor(rules: ReadonlySet<string> = new Set()) {
    this.#rules = rules;
  }

  /** Applied before overlapping findings are merged, so that suppressed findings do not absorb others. */
  over(detector: Detector): Detector {
    return this.#rules.size === 0
      ? detector
      : (text) => detector(text).filter((finding) => this.leaves(finding));
  }

  leaves(finding: Finding): boolean {
    if (!this.#rules.has(finding.rule) && !this.#rules.has(groupOf(finding))) return true;
    this.seen.add(finding.rule);
    return false;
  }
}

export interface MessageJudgement extends Inspection {
  readonly edits: readonly JsonEdit[];
  readonly withheld: ReadonlyMap<ListedTool, Withholding>;
  /** Tools that differ from their pin, could not be pinned (`full`) or, with `pin: block`, are `held`. */
  readonly changed: readonly ListedTool[];
}

export type Judged = MessageJudgement | Uninspected;

export type Decide = (exchange: Answered, message: unknown) => Promise<Judged>;

export interface DecideDeps {
  readonly config: McpConfig;
  readonly pins: PinStore;
  readonly keepDefinitions?: KeepDefinitions | undefined;
  readonly inspect: Inspect;
}

const NO_TOOLS: readonly ListedTool[] = [];
const NONE_WITHHELD: ReadonlyMap<ListedTool, Withholding> = new Map();

/** @throws GatewayError redis_unavailable */
export function createDecide({ config, pins, keepDefinitions, inspect }: DecideDeps): Decide {
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
    const tools = list === undefined ? NO_TOOLS : await readListedTools(list);
    const [inspection, stored] = await Promise.all([
      inspect(message, server),
      mode === 'off' ? [] : comparePins(server, tools),
      mode === 'off' || list === undefined ? undefined : keepDefinitions?.(server, list, tools),
    ]);
    if ('refusal' in inspection) return inspection;
    const placed = [...inspection.attacks, ...inspection.secrets, ...inspection.credentials];
    if ((await fixedAmong(placed)).size > 0) {
      const refusal =
        'it has a secret or an attack in a part that cannot be changed (its id, method or version)';
      return { refusal, secrets: inspection.secrets };
    }
    const states = mode === 'off' ? new Map<ListedTool, PinState>() : statesOf(tools, stored);
    const rules = { blocks: mode === 'block', states, attacks: inspection.attacks };
    const withheld = tools.length === 0 ? NONE_WITHHELD : await withheldTools(tools, rules);
    const removals = [...withheld.keys()].map(({ index }): JsonEdit => ({
      kind: 'remove',
      path: ['result', 'tools', index],
    }));
    return {
      ...inspection,
      edits: [...(await redactions(placed)), ...removals],
      withheld,
      changed: tools.filter((tool) => isChanged(states.get(tool), mode)),
    };
  };
}

function isChanged(state: PinState | undefined, mode: 'off' | 'warn' | 'block'): boolean {
  return state === 'changed' || state === 'full' || (state === 'held' && mode === 'block');
}
