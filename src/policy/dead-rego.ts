import { MCP_CALL_TYPES } from '../mcp/methods.ts';
import { nearestName } from '../config/nearest-name.ts';
import { isObject } from '../json/is-object.ts';
import { PATIENT_ENGINE } from './load-policies.ts';
import { POLICY_PACKAGE, POLICY_RULES, startEngineThread } from './rego/engine-thread.ts';
import { FIELD_GROUPS } from './input-fields.ts';
import { comparisonIn, inputPath, type Term, staticPath } from './rego-terms.ts';
import type { RegoFacts, RegoFile } from './rego/thread-messages.ts';

/** Members of `input` (docs/policies.md); `null` stands for a value, `true` for a list, map or document. */
type Members = { readonly [name: string]: Members | null | true };

function membersAt(path: string): Members {
  const rows = FIELD_GROUPS.find((group) => group.path === path)?.rows ?? {};
  const own = Object.entries(rows).map(([name, { form }]) => [name, form === 'value' ? null : true]);
  const groups = FIELD_GROUPS.map((group) => group.path)
    .filter((below) => parentOf(below) === path)
    .map((below) => [below.split('.').at(-1), membersAt(below)]);
  return Object.fromEntries([...own, ...groups]) as Members;
}

function parentOf(path: string): string {
  return path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : '';
}

const INPUT = membersAt('');
const METHODS: readonly string[] = ['llm_call', ...MCP_CALL_TYPES];
const EVALUATED: readonly string[] = POLICY_RULES;
const COMPARISONS = new Set(['equal', 'eq', 'assign', 'internal.member_2']);
const PARSE = 'decision = rego.parse_module("policy.rego", input)';

type ClosedMembers = ReadonlyMap<string, readonly string[]>;

/**
 * Returns warnings about Rego rules that are never read or can never fire, with file, line and remedy.
 * @param states possible session states
 */
export async function deadRego(
  files: readonly RegoFile[],
  { rules }: RegoFacts,
  states: ReadonlySet<string>,
): Promise<string[]> {
  if (files.length === 0) return [];
  const closed: ClosedMembers = new Map([
    ['input.request.method', METHODS],
    ['input.session.state', [...states]],
  ]);
  const engine = await startEngineThread(
    [{ name: 'parse.rego', text: 'package parse' }],
    PATIENT_ENGINE,
    PARSE,
  );
  try {
    const parsed: { readonly file: RegoFile; readonly module: unknown }[] = [];
    for (const file of files) {
      const parse = (text: string): Promise<unknown> =>
        engine.evaluate(JSON.stringify(text)).catch(() => undefined);
      const module = (await parse(file.text)) ?? (await parse(asRegoV1(file.text)));
      parsed.push({ file, module });
    }
    const used = new Set(
      parsed.flatMap(({ file, module }) =>
        module === undefined ? (file.text.match(/[A-Za-z_]\w*/g) ?? []) : namesIn(module),
      ),
    );
    return [
      ...rules
        .filter(
          (rule) => rule.package === POLICY_PACKAGE && !EVALUATED.includes(rule.name) && !used.has(rule.name),
        )
        .map(({ name, file, row }) => `${file}:${String(row)}: ${unusedRule(name)}`),
      ...parsed.flatMap(({ file, module }) => deadConditions(file, module, closed)),
    ];
  } finally {
    await engine.end();
  }
}

function unusedRule(name: string): string {
  const near = nearestName(name, EVALUATED) ?? EVALUATED.find((known) => name.startsWith(known.slice(0, 3)));
  const remedy = near === undefined ? 'use it in a rule or remove it' : `did you mean ${near}?`;
  return `rule ${name} is never read: the gateway evaluates ${EVALUATED.join(', ')}; ${remedy}`;
}

/** Returns the names that a module uses. Excludes the names of its rules in their own heads. */
function namesIn(module: unknown): string[] {
  const rules = isObject(module) && Array.isArray(module['rules']) ? module['rules'].filter(isObject) : [];
  const names: string[] = [];
  function walk(node: unknown): void {
    if (Array.isArray(node)) node.forEach(walk);
    if (!isObject(node)) return;
    if (typeof node['value'] === 'string') names.push(node['value']);
    Object.values(node).forEach(walk);
  }
  for (const { head, body, else: otherwise } of rules) {
    const { key, value, args } = isObject(head) ? head : {};
    walk([body, otherwise, key, value, args]);
  }
  return names;
}

function deadConditions(file: RegoFile, module: unknown, closed: ClosedMembers): string[] {
  const found = new Set<string>();
  function walk(node: unknown, effect: Effect): void {
    if (Array.isArray(node)) for (const element of node) walk(element, effect);
    if (!isObject(node)) return;
    const own: Effect = node['negated'] === true ? '`not` always holds' : effect;
    const problem =
      unknownMember(inputPath(node), own) ??
      impossibleValue(node['terms'], closed, own) ??
      impossibleBody(node['body']);
    if (problem !== undefined) found.add(problem.message + PLACE + problem.text);
    for (const member of Object.values(node)) walk(member, own);
  }
  walk(isObject(module) ? module['rules'] : undefined, 'the rule cannot fire');
  return [...found].map((problem) => {
    const [message = '', text = ''] = problem.split(PLACE);
    return `${file.name}:${String(rowOf(file.text, text))}: ${message}`;
  });
}

const PLACE = '\u0000';

interface Problem {
  readonly message: string;
  /** Word that identifies the line to report. */
  readonly text: string;
}

type Effect = 'the rule cannot fire' | '`not` always holds';

function unknownMember(path: readonly string[] | undefined, effect: Effect): Problem | undefined {
  let members: Members | null | true | undefined = INPUT;
  let parent = 'input';
  for (const name of path ?? []) {
    if (members === true || members === undefined) return undefined;
    const known: Members = members ?? {};
    if (!Object.hasOwn(known, name)) {
      const near = nearestName(name, Object.keys(known));
      const all = Object.keys(known).join(', ');
      const remedy =
        near !== undefined
          ? `did you mean ${parent}.${near}?`
          : all === ''
            ? `${parent} is a value`
            : `${parent} has ${all}`;
      return {
        message: `${parent}.${name} is never defined, so ${effect}; ${remedy}`,
        text: name,
      };
    }
    members = known[name];
    parent = `${parent}.${name}`;
  }
  return undefined;
}

function impossibleValue(terms: unknown, closed: ClosedMembers, effect: Effect): Problem | undefined {
  const { operator = '', sides = [] } = comparisonIn(terms) ?? {};
  const pathOf = (term: Term): string => ['input', ...(inputPath(term) ?? [])].join('.');
  const path = sides.map(pathOf).find((one) => closed.has(one));
  const other = sides.find((term) => pathOf(term) !== path);
  if (!COMPARISONS.has(operator) || path === undefined || other === undefined) return undefined;
  const values = closed.get(path) ?? [];
  const compared = [other['type'] === 'string' ? other : other['value']].flat();
  const texts = compared.flatMap((term) =>
    isObject(term) && term['type'] === 'string' ? [String(term['value'])] : [],
  );
  const [first] = texts;
  if (first === undefined || texts.length < compared.length || texts.some((text) => values.includes(text)))
    return undefined;
  const message = `${path} is never "${first}", so ${effect}; it is one of ${values.join(', ')}`;
  return { message, text: `"${first}"` };
}

function impossibleBody(body: unknown): Problem | undefined {
  const found = contradictionIn(body);
  if (found === undefined) return undefined;
  const { path, first, second } = found;
  const message = `${path} cannot equal both ${first} and ${second}, so the rule cannot fire; write two rules, or \`in {${first}, ${second}}\``;
  return { message, text: second };
}

/**
 * Returns the number of the first line that contains the text as a whole word, except comment lines, or 1 if none does.
 */
function rowOf(source: string, text: string): number {
  const isIn = (line: string): boolean =>
    !line.trimStart().startsWith('#') &&
    (line.match(/"[^"]*"|\w+/g) ?? []).some((word) => isSameWord(word, text));
  return Math.max(source.split('\n').findIndex(isIn), 0) + 1;
}

function isSameWord(word: string, text: string): boolean {
  return word === text || word === `"${text}"`;
}

const EQUALITIES = new Set(['equal', 'eq']);
const SCALARS = new Set(['string', 'number', 'boolean']);

interface Contradiction {
  readonly path: string;
  readonly first: string;
  readonly second: string;
}

/** Finds an input member that would have to equal two values, because all expressions of a body must be true. */
function contradictionIn(body: unknown): Contradiction | undefined {
  if (!Array.isArray(body)) return undefined;
  const wanted = new Map<string, string>();
  for (const expression of body) {
    const { path, value } = equalityIn(expression) ?? {};
    if (path === undefined || value === undefined) continue;
    const first = wanted.get(path) ?? value;
    if (first !== value) return { path, first, second: value };
    wanted.set(path, value);
  }
  return undefined;
}

function equalityIn(expression: unknown): { readonly path: string; readonly value: string } | undefined {
  // An expression with `with` reads a different input.
  if (!isObject(expression) || expression['negated'] === true || expression['with'] !== undefined)
    return undefined;
  const { operator, sides } = comparisonIn(expression['terms']) ?? {};
  if (operator === undefined || !EQUALITIES.has(operator)) return undefined;
  const path = sides?.map(staticPath).find((found) => found !== undefined);
  const literal = sides?.find(({ type }) => SCALARS.has(String(type)));
  return path === undefined || literal === undefined
    ? undefined
    : { path, value: JSON.stringify(literal['value']) };
}

/** Rule head of Rego v0: name, arguments, key and rest. */
const HEAD = /^([A-Za-z_]\w*)(\([^()]*\))?(\[[^\]]*\])?([^]*)$/;
const ELSE = /^(?:\}\s*)?else\b([^]*)$/;
const IS_WRITTEN = /\bif$/;

/** Rewrites heads of Rego v0 (`deny[reason] { … }`) at the start of a line to v1, so that they parse. */
function asRegoV1(text: string): string {
  let head = '';
  return text
    .split('\n')
    .map((line) => {
      const brace = line.indexOf('{');
      const before = line.slice(0, Math.max(0, brace)).trimEnd();
      const body = line.slice(brace + 1);
      if (brace === -1 || before === '') return line;
      if (before === '}') return `}\n${head} if {${body}`;
      const [, other] = ELSE.exec(before) ?? [];
      if (other !== undefined) return isValue(other) ? `${before} if {${body}` : line;
      const [, name = '', args = '', key = '', value = ''] = HEAD.exec(before) ?? [];
      if (name === '' || before.includes('}') || !isValue(value) || IS_WRITTEN.test(before)) return line;
      const isSet = key !== '' && value.trim() === '';
      head = isSet ? `${name} contains ${key.slice(1, -1)}` : `${name}${args}${key}${value}`;
      return `${head} if {${body}`;
    })
    .join('\n');
}

function isValue(text: string): boolean {
  const written = text.trim();
  if (written === '') return true;
  const value = /^:?=/.test(written) ? written.replace(/^:?=/, '').trimStart() : '';
  return value !== '' && !value.startsWith('=');
}
