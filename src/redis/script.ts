import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisClient } from './client.ts';
import { wrongShape } from './reply.ts';

const INCLUDE = /^-- @include (\S+\.lua)$/gm;
const HEAD = /^#!lua(?: flags=(\S+))?\n/;

/** A value of a script's ARGV. */
export type ScriptArg = string | number;

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
  readonly href: string;
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
  const keys = calls.flatMap((call) => call.keys);
  const args = calls.flatMap((call) => [call.keys.length, call.args.length, ...call.args]);
  const reply = await evaluate(client, evaluable, keys, args);
  if (!Array.isArray(reply)) throw wrongShape();
  const [refused, ...replies] = reply as unknown[];
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
    return await client.evalsha(sha, keys.length, ...keys, ...args);
  } catch (failure) {
    // A restarted, failed-over or flushed server does not know the script: EVAL runs and stores it. On a cluster the
    // client may say so as the last of several redirections.
    if (failure instanceof Error && failure.message.includes('NOSCRIPT')) {
      return await client.eval(source, keys.length, ...keys, ...args);
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

/** Each part sees its own KEYS and ARGV, when it judges and when it writes. */
const RUN_TOGETHER = `
local all_keys, all_args = KEYS, ARGV
local replies, commits, key_at, arg_at = { 0 }, {}, 0, 0
for index, part in ipairs(parts) do
  local key_count, arg_count = tonumber(all_args[arg_at + 1]), tonumber(all_args[arg_at + 2])
  arg_at = arg_at + 2
  KEYS, ARGV = {}, {}
  for at = 1, key_count do
    KEYS[at] = all_keys[key_at + at]
  end
  for at = 1, arg_count do
    ARGV[at] = all_args[arg_at + at]
  end
  key_at, arg_at = key_at + key_count, arg_at + arg_count
  local reply, commit = part()
  replies[index + 1] = reply
  if commit == false then
    replies[1] = index
    return replies
  end
  if commit then
    commits[#commits + 1] = { KEYS, ARGV, commit }
  end
end
for _, one in ipairs(commits) do
  KEYS, ARGV = one[1], one[2]
  one[3]()
end
return replies
`;

/** As many as there are sets of steps that checks ask for in one phase: a handful. */
const compositions = new Map<string, Evaluable>();

function composed(parts: readonly ScriptParts[]): Evaluable {
  const name = parts.map(({ href }) => href).join(' ');
  const known = compositions.get(name);
  if (known !== undefined) return known;
  const includes = new Map(parts.flatMap((part) => [...part.includes]));
  const bodies = parts.map(({ body }) => `function()\n${body}\nend`);
  const made = prepare(
    // A flag lifts a guard of Redis, so all must have it.
    parts[0]?.flags?.filter((flag) => parts.every(({ flags }) => flags?.includes(flag))) ?? [],
    `local KEYS, ARGV = KEYS, ARGV\n${[...includes.values()].join('')}local parts = { ${bodies.join(', ')} }\n${RUN_TOGETHER}`,
  );
  compositions.set(name, made);
  return made;
}

function prepare(flags: ScriptParts['flags'], text: string): Evaluable {
  const head = flags === undefined ? '' : `#!lua${flags.length === 0 ? '' : ` flags=${flags.join(',')}`}\n`;
  const source = head + text;
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

function readParts(file: URL): ScriptParts {
  const text = readFileSync(file, 'utf8');
  const includes = new Map<string, string>();
  const body = withoutIncludes(text.replace(HEAD, ''), file, includes);
  const head = HEAD.exec(text);
  return { href: file.href, flags: head === null ? undefined : (head[1]?.split(',') ?? []), includes, body };
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
