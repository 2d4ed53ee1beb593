import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisClient } from './client.ts';
import { withConstants } from './lua-constants.ts';
import { withoutUnused } from './lua-functions.ts';
import { wrongShape } from './reply.ts';
import { ScriptCommand, type ScriptArg } from './script-command.ts';

export type { ScriptArg };

const INCLUDE = /^-- @include (\S+\.lua)$/gm;
const PASTE = /^( +)-- @include (\S+\.lua)$/gm;
const HEAD = /^#!lua(?: flags=(\S+))?\n/;

/** Keys of one slot, and what a script is told beside them. */
export interface ScriptCall {
  readonly script: RedisScript;
  readonly keys: readonly string[];
  readonly args: readonly ScriptArg[];
}

/**
 * A Lua script that Redis runs as one atomic step. What it returns is its reply; where it can be joined with others (see
 * `runTogether`), a second value says what is still to be done: a function that writes, or `false` where it refuses.
 */
export interface RedisScript {
  /** Runs it alone; the caller parses the reply. */
  run(client: RedisClient, keys: readonly string[], args: readonly ScriptArg[]): Promise<unknown>;
  readonly parts: ScriptParts;
}

/** What a script is made of. */
export interface ScriptParts {
  /** Its own among those that this process has loaded. */
  readonly id: number;
  /** Undefined without a first line `#!lua`: Redis then judges command by command what may run. */
  readonly flags: readonly string[] | undefined;
  /** Declarations of its constants, see `withConstants`. */
  readonly constants: string;
  /** Texts of the files that it includes, what they include before them. */
  readonly includes: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Loads the `.lua` file beside its caller: `loadScript(new URL('./reserve-budget.lua', import.meta.url))`.
 * A line `-- @include shared.lua` stands for the text of that file, its path from this one's folder; so in what is included.
 * Indented, it puts the text there, into a function that is seldom needed: what it makes is made at no other call.
 * @param constants by names in capitals, which stand for them in the script: what is the same at every call is cheaper than
 *   an argument
 */
export function loadScript(
  file: URL,
  constants: Readonly<Record<string, string | number>> = {},
): RedisScript {
  const parts = readScriptParts(file, constants);
  let alone: Evaluable | undefined;
  const made = (): Evaluable =>
    (alone ??= prepare(
      parts.flags,
      `${parts.constants}${[...parts.includes.values()].join('')}local function part()\n${parts.body}\nend\n${RUN_ALONE}`,
    ));
  return { parts, run: (client, keys, args) => evaluate(client, made(), keys, args) };
}

/**
 * Runs scripts one after the other as one atomic step, all or nothing: where one refuses, those after it are not run, and
 * nothing that one wants to write at its end is written.
 */
export async function runTogether(client: RedisClient, calls: readonly ScriptCall[]): Promise<Replies> {
  const evaluable = composed(calls.map(({ script }) => script.parts));
  const keys: string[] = [];
  const args: ScriptArg[] = [''];
  let ends = '';
  for (const call of calls) {
    for (const key of call.keys) keys.push(key);
    for (const arg of call.args) args.push(arg);
    ends += endDigits(keys) + endDigits(args);
  }
  args[0] = ends;
  const reply = await evaluate(client, evaluable, keys, args);
  if (!Array.isArray(reply)) throw wrongShape();
  const refused: unknown = reply[0];
  const replies: readonly unknown[] = reply.slice(1);
  if (refused === 0 && replies.length === calls.length) return { refused: undefined, replies };
  if (typeof refused !== 'number' || refused !== replies.length || refused === 0) throw wrongShape();
  return { refused: refused - 1, replies };
}

export interface Replies {
  /** Index of the call that refused: the last one that there is a reply to. */
  readonly refused: number | undefined;
  readonly replies: readonly unknown[];
}

interface Evaluable {
  readonly source: string;
  readonly sha: string;
}

async function evaluate(
  client: RedisClient,
  { sha, source }: Evaluable,
  keys: readonly string[],
  args: readonly ScriptArg[],
): Promise<unknown> {
  try {
    return await client.sendCommand(new ScriptCommand('evalsha', sha, keys, args));
  } catch (failure) {
    // A restarted, failed-over or flushed server does not know the script: EVAL runs and stores it. On a cluster the
    // client may say so as the last of several redirections.
    if (failure instanceof Error && failure.message.includes('NOSCRIPT')) {
      return await client.sendCommand(new ScriptCommand('eval', source, keys, args));
    }
    throw failure;
  }
}

const RUN_ALONE = `
local reply, commit = part()
if commit then
  commit()
end
return reply
`;

/** Where the keys or arguments of a part end, as two digits of base 64 from `0` on: four characters for each part. */
function endDigits({ length }: readonly unknown[]): string {
  if (length >= 4_096) throw new Error('the parts of a script have too many keys or arguments');
  return String.fromCharCode(48 + (length >> 6), 48 + (length & 63));
}

/**
 * Each part sees its own KEYS and ARGV, when it judges and when it writes; ARGV[1] says where those of each end, see
 * `endDigits`. Parts are written out one after the other: tables of parts, replies and commits would cost Redis more.
 */
function togetherText(bodies: readonly string[]): string {
  const nths = bodies.map((_, index) => index + 1);
  const digits = nths.map((nth) => `key_high_${nth}, key_low_${nth}, arg_high_${nth}, arg_low_${nth}`);
  const begin = `local all_keys, all_args, key_end_0, arg_end_0 = KEYS, ARGV, 0, 1
local ${digits.join(', ')} = string.byte(ARGV[1], 1, ${4 * bodies.length})
`;
  const judge = bodies.map((body, index) => {
    const nth = index + 1;
    return `local key_end_${nth}, arg_end_${nth} = ${endText('key', nth)}, ${endText('arg', nth)}
local keys_${nth}, args_${nth} = ${sliceText('key', nth)}, ${sliceText('arg', nth)}
KEYS, ARGV = keys_${nth}, args_${nth}
local reply_${nth}, commit_${nth} = (function()
${body}
end)()
if commit_${nth} == false then return { ${[nth, ...nths.slice(0, nth).map((before) => `reply_${before}`)].join(', ')} } end
`;
  });
  const write = nths.map(
    (nth) => `if commit_${nth} then
  KEYS, ARGV = keys_${nth}, args_${nth}
  commit_${nth}()
end
`,
  );
  const replies = nths.map((nth) => `, reply_${nth}`);
  return `${begin}${judge.join('')}${write.join('')}return { 0${replies.join('')} }\n`;
}

function endText(what: 'key' | 'arg', nth: number): string {
  return `${what}_high_${nth} * 64 + ${what}_low_${nth} - 3120`;
}

function sliceText(what: 'key' | 'arg', nth: number): string {
  return `{ unpack(all_${what}s, ${what}_end_${nth - 1} + 1, ${what}_end_${nth}) }`;
}

/** As many as there are sets of steps that checks ask for in one phase: a handful. */
const compositions = new Map<string, Evaluable>();

function composed(parts: readonly ScriptParts[]): Evaluable {
  const name = parts.map(({ id }) => id).join(' ');
  const known = compositions.get(name);
  if (known !== undefined) return known;
  const includes = new Map(parts.flatMap((part) => [...part.includes]));
  const bodies = parts.map(({ body }) => body);
  const constants = new Set(parts.map((part) => part.constants));
  const made = prepare(
    // A flag lifts a guard of Redis, so all must have it.
    parts[0]?.flags?.filter((flag) => parts.every(({ flags }) => flags?.includes(flag))) ?? [],
    `${[...constants].join('')}local KEYS, ARGV = KEYS, ARGV\n${[...includes.values()].join('')}${togetherText(bodies)}`,
  );
  compositions.set(name, made);
  return made;
}

function prepare(flags: ScriptParts['flags'], text: string): Evaluable {
  const head = flags === undefined ? '' : `#!lua${flags.length === 0 ? '' : ` flags=${flags.join(',')}`}\n`;
  const source = head + withoutUnused(withConstants(text));
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

let loaded = 0;

function readScriptParts(file: URL, constants: Readonly<Record<string, string | number>>): ScriptParts {
  const text = readFileSync(file, 'utf8');
  const includes = new Map<string, string>();
  const body = withoutIncludes(text.replace(HEAD, ''), file, includes);
  const head = HEAD.exec(text);
  return {
    id: (loaded += 1),
    flags: head === null ? undefined : (head[1]?.split(',') ?? []),
    constants: Object.entries(constants)
      .map(([name, value]) => `local ${name} = ${typeof value === 'string' ? `'${value}'` : String(value)}\n`)
      .join(''),
    includes,
    body,
  };
}

/** Of files that are included, by address: they are in many scripts, and in memory once. */
const includedTexts = new Map<string, string>();

function readIncluded(file: URL): string {
  const text = includedTexts.get(file.href) ?? readFileSync(file, 'utf8');
  includedTexts.set(file.href, text);
  return text;
}

/** Notes what a file includes, each once, in the order in which it is needed. */
function withoutIncludes(text: string, file: URL, includes: Map<string, string>): string {
  const pasted = text.replace(PASTE, (_line, indent: string, name: string) =>
    readIncluded(new URL(name, file)).replace(/^(?=.)/gm, indent),
  );
  return pasted.replace(INCLUDE, (_line, name: string) => {
    const included = new URL(name, file);
    if (!includes.has(included.href)) {
      const own = withoutIncludes(readIncluded(included), included, includes);
      includes.set(included.href, `${own}\n`);
    }
    return '';
  });
}
