import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisClient } from './client.ts';
import { withConstants } from './lua-constants.ts';
import { wrongShape } from './reply.ts';
import { ScriptCommand, type ScriptArg } from './script-command.ts';

export type { ScriptArg };

const INCLUDE = /^-- @include (\S+\.lua)$/gm;
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
  /** Texts of the files that it includes, what they include before them. */
  readonly includes: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Loads the `.lua` file beside its caller: `loadScript(new URL('./reserve-budget.lua', import.meta.url))`.
 * A line `-- @include shared.lua` stands for the text of that file, its path from this one's folder; so in what is included.
 */
export function loadScript(file: URL): RedisScript {
  const parts = readParts(file);
  const evaluable = prepare(
    parts.flags,
    `${[...parts.includes.values()].join('')}local function part()\n${parts.body}\nend\n${RUN_ALONE}`,
  );
  return { parts, run: (client, keys, args) => evaluate(client, evaluable, keys, args) };
}

/**
 * Runs scripts one after the other as one atomic step, all or nothing: where one refuses, those after it are not run, and
 * nothing that one wants to write at its end is written.
 */
export async function runTogether(client: RedisClient, calls: readonly ScriptCall[]): Promise<Replies> {
  const evaluable = composed(calls.map(({ script }) => script.parts));
  const keys: string[] = [];
  const args: ScriptArg[] = [''];
  let counts = '';
  for (const call of calls) {
    counts += countOf(call.keys) + countOf(call.args);
    for (const key of call.keys) keys.push(key);
    for (const arg of call.args) args.push(arg);
  }
  args[0] = counts;
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

/** ARGV[1] says how many keys and arguments each part has, see `countOf`. */
const TAKE_OWN = `
local all_keys, all_args, key_at, arg_at = KEYS, ARGV, 0, 1
local function take_own(nth)
  local key_high, key_low, arg_high, arg_low = string.byte(all_args[1], 4 * nth - 3, 4 * nth)
  local key_end, arg_end = key_at + key_high * 64 + key_low - 3120, arg_at + arg_high * 64 + arg_low - 3120
  KEYS, ARGV = { unpack(all_keys, key_at + 1, key_end) }, { unpack(all_args, arg_at + 1, arg_end) }
  key_at, arg_at = key_end, arg_end
  return KEYS, ARGV
end
`;

/** How many keys or arguments a part has, as two digits of base 64 from `0` on: four characters for each part. */
function countOf({ length }: readonly unknown[]): string {
  if (length >= 4_096) throw new Error('a part of a script has too many keys or arguments');
  return String.fromCharCode(48 + (length >> 6), 48 + (length & 63));
}

/**
 * Each part sees its own KEYS and ARGV, when it judges and when it writes. They are written out one after the other:
 * tables of parts, replies and commits would cost Redis more.
 */
function togetherText(bodies: readonly string[]): string {
  const judge = bodies.map((body, index) => {
    const nth = index + 1;
    const replies = bodies.slice(0, nth).map((_, before) => `reply_${before + 1}`);
    return `local keys_${nth}, args_${nth} = take_own(${nth})
local reply_${nth}, commit_${nth} = (function()
${body}
end)()
if commit_${nth} == false then return { ${[nth, ...replies].join(', ')} } end
`;
  });
  const write = bodies.map((_, index) => {
    const nth = index + 1;
    return `if commit_${nth} then
  KEYS, ARGV = keys_${nth}, args_${nth}
  commit_${nth}()
end
`;
  });
  const replies = bodies.map((_, index) => `, reply_${index + 1}`);
  return `${TAKE_OWN}${judge.join('')}${write.join('')}return { 0${replies.join('')} }\n`;
}

/** As many as there are sets of steps that checks ask for in one phase: a handful. */
const compositions = new Map<string, Evaluable>();

function composed(parts: readonly ScriptParts[]): Evaluable {
  const name = parts.map(({ id }) => id).join(' ');
  const known = compositions.get(name);
  if (known !== undefined) return known;
  const includes = new Map(parts.flatMap((part) => [...part.includes]));
  const bodies = parts.map(({ body }) => body);
  const made = prepare(
    // A flag lifts a guard of Redis, so all must have it.
    parts[0]?.flags?.filter((flag) => parts.every(({ flags }) => flags?.includes(flag))) ?? [],
    `local KEYS, ARGV = KEYS, ARGV\n${[...includes.values()].join('')}${togetherText(bodies)}`,
  );
  compositions.set(name, made);
  return made;
}

function prepare(flags: ScriptParts['flags'], text: string): Evaluable {
  const head = flags === undefined ? '' : `#!lua${flags.length === 0 ? '' : ` flags=${flags.join(',')}`}\n`;
  const source = head + withConstants(text);
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

let loaded = 0;

function readParts(file: URL): ScriptParts {
  const text = readFileSync(file, 'utf8');
  const includes = new Map<string, string>();
  const body = withoutIncludes(text.replace(HEAD, ''), file, includes);
  const head = HEAD.exec(text);
  return {
    id: (loaded += 1),
    flags: head === null ? undefined : (head[1]?.split(',') ?? []),
    includes,
    body,
  };
}

/** Notes what a file includes, each once, in the order in which it is needed. */
function withoutIncludes(text: string, file: URL, includes: Map<string, string>): string {
  return text.replace(INCLUDE, (_line, name: string) => {
    const included = new URL(name, file);
    if (!includes.has(included.href)) {
      const own = withoutIncludes(readFileSync(included, 'utf8'), included, includes);
      includes.set(included.href, `${own}\n`);
    }
    return '';
  });
}
