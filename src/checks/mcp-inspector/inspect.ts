import type { McpConfig } from '../../config/sections/mcp.ts';
import { createPatternDetector } from '../../detectors/custom-pattern.ts';
import type { Detector, Finding } from '../../detectors/finding.ts';
import { findToolPoisoning } from '../../detectors/injection/poisoning.ts';
import { findPathTraversal } from '../../detectors/traversal/path-traversal.ts';
import { findPromptInjection } from '../../detectors/injection/prompt-injection.ts';
import { customRule, groupOf } from '../../detectors/tool-rules.ts';
import { isAnswer, isDefinitions } from '../../mcp/answer-shape.ts';
import { readTexts } from './read-texts.ts';
import { searchTexts, type Hit } from './search.ts';
import type { CredentialsOf } from './server-credentials.ts';

/** What a message of a server holds that must not reach its reader. */
export interface Inspection {
  readonly attacks: readonly Hit[];
  readonly secrets: readonly Hit[];
  /** Rules that found something, and are suppressed for the server. */
  readonly suppressed: ReadonlySet<string>;
}

/** Why a message cannot be inspected, or not be taken apart. */
export interface Uninspected {
  readonly refusal: string;
  /** What is known to be in it: the key is scored, and locked, for a refused message's secrets too. */
  readonly secrets: readonly Hit[];
}

/** Inspects a message, or any other value that a server sent, or says why it cannot. */
export type Inspect = (message: unknown, server: string) => Promise<Inspection | Uninspected>;

/** Finds nothing: where the inspector is switched off. */
export const inspectNothing: Inspect = () =>
  Promise.resolve({ attacks: [], secrets: [], suppressed: new Set() });

export interface InspectDeps {
  readonly config: McpConfig;
  readonly credentialsOf: CredentialsOf;
}

/** @throws Error where a custom pattern is none */
export function createInspect({ config: { inspector, servers }, credentialsOf }: InspectDeps): Inspect {
  const custom = inspector.custom_injection_patterns.map((pattern, index) =>
    createPatternDetector(pattern, customRule(index)),
  );
  const inAnswers = [findPromptInjection, findPathTraversal, ...custom];
  const suppressedAt = new Map(servers.map(({ name, suppress }) => [name, new Set(suppress)]));
  return async (message, server) => {
    const definitions = isDefinitions(message);
    const texts = await readTexts(message, definitions && !isAnswer(message));
    if (texts === undefined) return { refusal: 'it holds more text than can be inspected', secrets: [] };
    const suppression = new Suppression(suppressedAt.get(server));
    const detectors = definitions ? [findToolPoisoning, ...inAnswers] : inAnswers;
    const { hits, isWhole } = await searchTexts(texts, {
      detectors: detectors.map((detector) => suppression.over(detector)),
      credentials: credentialsOf(server),
      counts: (secret) => suppression.leaves(secret),
    });
    const secrets = hits.filter(({ finding }) => finding.class === 'secret');
    if (!isWhole)
      return { refusal: 'it holds more secrets and attacks than are taken out of one message', secrets };
    return {
      attacks: hits.filter(({ finding }) => finding.class !== 'secret'),
      secrets,
      suppressed: suppression.seen,
    };
  };
}

/** Leaves out what an operator knows to be harmless on a server (`mcp.servers[].suppress`). */
class Suppression {
  readonly seen = new Set<string>();
  readonly #rules: ReadonlySet<string>;

  constructor(rules: ReadonlySet<string> = new Set()) {
    this.#rules = rules;
  }

  /** Before findings are joined: a suppressed one must not take its neighbour along. */
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
