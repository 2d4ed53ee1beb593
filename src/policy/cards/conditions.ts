import { globMatches } from '../../text/glob.ts';
import type { Comparison, Condition, TraceMatch } from './card-schema.ts';
import {
  fieldOf,
  HISTORY_FIELDS,
  isDriftField,
  isObfuscationField,
  isRiskField,
  TRACE_FIELDS,
  type Field,
} from './fields.ts';
import type { MaskPattern, TextPattern } from './mask-rule.ts';
import { DETECTOR_NAMES, detectorNamed } from '../named-detectors.ts';
import { compileRegex } from './text-patterns.ts';
import type { TextQueries } from './text-queries.ts';
import { traceMarkOf, type TraceMark } from './trace-marks.ts';
import { findsInjection, type RuleTrust } from '../trust.ts';
import { allOf, anyOf, notOf, type Test } from './truth.ts';
import { textValue, textValues, valueTest } from './value-test.ts';

export interface Compiled {
  readonly test: Test;
  readonly queries: readonly number[];
  /** Patterns whose matches may make the rule fire: all except those under `not`. */
  readonly patterns: readonly MaskPattern[];
  /** Queries of those patterns. Their matches explain why the rule fires. */
  readonly evidence: readonly { readonly query: number; readonly pattern: TextPattern }[];
  readonly marks: readonly TraceMark[];
  readonly readsDrift: boolean;
  readonly readsRisk: boolean;
  /** Whether the condition reads prompts, or facts about obfuscation in prompts. */
  readonly readsPrompt: boolean;
  readonly readsOnlyTexts: boolean;
}

export interface CompileContext {
  readonly queries: TextQueries;
  readonly initialState: string;
  /** Set in allowing rules, where an undetermined condition must not count as true. */
  readonly allows: boolean;
  readonly trust?: RuleTrust | undefined;
}

interface Place {
  readonly path: readonly PropertyKey[];
  /** Whether the condition is below an odd number of `not`. */
  readonly isNegated: boolean;
}

/** An invalid condition. `path` leads to the error. */
export class ConditionError extends Error {
  readonly path: readonly PropertyKey[];

  constructor(path: readonly PropertyKey[], message: string) {
    super(message);
    this.name = 'ConditionError';
    this.path = path;
  }
}

const MAX_DEPTH = 8;
const NOTHING: Omit<Compiled, 'test'> = {
  queries: [],
  patterns: [],
  evidence: [],
  marks: [],
  readsDrift: false,
  readsRisk: false,
  readsPrompt: false,
  readsOnlyTexts: false,
};

export function compileCondition(
  condition: Condition,
  path: readonly PropertyKey[],
  context: CompileContext,
  depth = 0,
  isNegated = false,
): Compiled {
  if (depth > MAX_DEPTH)
    throw new ConditionError(path, `conditions must not be nested deeper than ${String(MAX_DEPTH)} levels`);
  const inner = (list: readonly Condition[], key: string, negated = isNegated): Compiled[] =>
    list.map((nested, index) => compileCondition(nested, [...path, key, index], context, depth + 1, negated));
  if ('any' in condition) {
    const parts = inner(condition.any, 'any');
    return { ...joined(parts), test: (scene) => anyOf(parts, ({ test }) => test(scene)) };
  }
  if ('all' in condition) {
    const parts = inner(condition.all, 'all');
    return { ...joined(parts), test: (scene) => allOf(parts, ({ test }) => test(scene)) };
  }
  if ('not' in condition) {
    const parts = inner([condition.not].flat(), 'not', !isNegated);
    return {
      ...joined(parts),
      patterns: [],
      evidence: [],
      test: (scene) => notOf(allOf(parts, ({ test }) => test(scene))),
    };
  }
  return compileComparison(condition, { path, isNegated }, context);
}

export function joined(parts: readonly Compiled[]): Omit<Compiled, 'test'> {
  return {
    queries: parts.flatMap(({ queries }) => queries),
    patterns: parts.flatMap(({ patterns }) => patterns),
    evidence: parts.flatMap(({ evidence }) => evidence),
    marks: parts.flatMap(({ marks }) => marks),
    readsDrift: parts.some(({ readsDrift }) => readsDrift),
    readsRisk: parts.some(({ readsRisk }) => readsRisk),
    readsPrompt: parts.some(({ readsPrompt }) => readsPrompt),
    readsOnlyTexts: parts.every(({ readsOnlyTexts: isOfTexts }) => isOfTexts),
  };
}

function compileComparison(
  comparison: Comparison,
  { path, isNegated }: Place,
  context: CompileContext,
): Compiled {
  const field = atKey(path, 'field', () => fieldOf(comparison.field, context.initialState));
  if (comparison.ignore_case !== undefined && comparison.op !== 'contains')
    throw new ConditionError([...path, 'ignore_case'], 'is for contains only');
  // Text that helps a call must occur literally; text that counts against the call may be obfuscated.
  const ignoreCase = comparison.ignore_case ?? context.allows === isNegated;
  return atKey(path, 'value', () => {
    if (comparison.op === 'must_precede') return mustPrecede(comparison, context, isNegated);
    if (comparison.op === 'contains_matching_trace') return matchingTrace(comparison, context, isNegated);
    const patterns = textPatternsOf(comparison, ignoreCase);
    if (patterns !== undefined && field.kind !== 'value') return anyTextTest(field, patterns, context);
    if (comparison.op === 'detects') throw new Error('detects searches prompt_text and arguments only');
    if (comparison.threshold !== undefined) throw new Error('threshold is for detects only');
    return {
      ...NOTHING,
      test: valueTest(field, comparison, ignoreCase),
      readsDrift: isDriftField(comparison.field),
      readsRisk: isRiskField(comparison.field),
      readsPrompt: isObfuscationField(comparison.field),
    };
  });
}

function atKey<T>(path: readonly PropertyKey[], key: string, work: () => T): T {
  try {
    return work();
  } catch (failure) {
    if (failure instanceof ConditionError) throw failure;
    throw new ConditionError([...path, key], failure instanceof Error ? failure.message : 'cannot be used');
  }
}

function textPatternsOf(
  { op, value, threshold }: Comparison,
  ignoreCase: boolean,
): readonly TextPattern[] | undefined {
  switch (op) {
    case 'contains':
      return textValues(value, op).map((text) => ({ kind: 'contains', text, ignoreCase }));
    case 'matches_regex':
      return [{ kind: 'regex', source: textValue(value, op) }];
    case 'detects': {
      const detector = detectorNamed(textValue(value, op));
      if (detector === undefined) throw new Error(`must be one of ${DETECTOR_NAMES.join(', ')}`);
      if (threshold !== undefined && detector !== 'injection_learned')
        throw new Error('threshold is for injection_learned: other detectors have no scores');
      return [{ kind: 'detects', detector, ...(threshold !== undefined && { threshold }) }];
    }
    default:
      return undefined;
  }
}

function anyTextTest(
  field: Exclude<Field, { kind: 'value' }>,
  patterns: readonly TextPattern[],
  context: CompileContext,
): Compiled {
  const parts = patterns.map((pattern) => textTest(field, pattern, context));
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return { ...joined(parts), test: (scene) => anyOf(parts, ({ test }) => test(scene)) };
}

function textTest(
  field: Exclude<Field, { kind: 'value' }>,
  pattern: TextPattern,
  context: CompileContext,
): Compiled {
  const argument = field.kind === 'prompt' ? undefined : field.path;
  if (pattern.kind === 'regex' && compileRegex(pattern.source).test(''))
    throw new Error('matches the empty text and would match everywhere');
  const dependsOnTrust = pattern.kind === 'detects' && findsInjection(pattern.detector);
  const trust = dependsOnTrust ? context.trust : undefined;
  const query = context.queries.add({ pattern, argument, trust });
  return {
    ...NOTHING,
    test: ({ isFound }) => isFound(query),
    queries: [query],
    patterns: [{ argument, pattern, trust }],
    evidence: [{ query, pattern }],
    readsPrompt: argument === undefined,
    readsOnlyTexts: true,
  };
}

/** True if a required earlier call is missing from the session. */
function mustPrecede({ field, value }: Comparison, { allows }: CompileContext, isNegated: boolean): Compiled {
  if (!HISTORY_FIELDS.has(field)) throw new Error(`must_precede is for ${[...HISTORY_FIELDS].join(' or ')}`);
  if (allows && !isNegated)
    throw new Error(
      'must_precede is true if a call is made too early: in an allowing rule, use it under not',
    );
  const wanted = [value].flat().filter((name) => typeof name === 'string');
  if (wanted.length === 0 || wanted.length !== [value].flat().length)
    throw new Error('must_precede needs tool names');
  return {
    ...NOTHING,
    test: ({ call }) =>
      !wanted.every((glob) => call.input.session.tools_called.some((tool) => globMatches(glob, tool))),
  };
}

function matchingTrace(
  { field, value }: Comparison,
  { allows }: CompileContext,
  isNegated: boolean,
): Compiled {
  if (!TRACE_FIELDS.has(field))
    throw new Error(`contains_matching_trace is for ${[...TRACE_FIELDS].join(' or ')}`);
  if (typeof value !== 'string' && !isTraceMatch(value))
    throw new Error(
      'contains_matching_trace needs a mapping with type, tool, provider or content_regex, or the same in one line',
    );
  const mark = traceMarkOf(value, allows === isNegated);
  return {
    ...NOTHING,
    marks: [mark],
    readsPrompt: mark.readsContent && mark.isOf('llm_call'),
    test: ({ call }) => call.marks.includes(mark.name),
  };
}

function isTraceMatch(value: Comparison['value']): value is TraceMatch {
  return typeof value === 'object' && !Array.isArray(value);
}
