import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisClient } from './client.ts';
import { withConstants, withoutUnused } from './lua-source.ts';
import { wrongShape } from './reply.ts';
import {
  NEWEST_STORED_VERSION,
  STORED_VERSIONS,
  type StoredVersion,
  writeVersionOf,
} from './stored-forms.ts';
import { ScriptCommand, scriptWords, type ScriptArg } from './script-command.ts';

export type { ScriptArg };

const INCLUDE = /^-- @include (\S+\.lua)$/gm;
const PASTE = /^( +)-- @include (\S+\.lua)$/gm;
const HEAD = /^#!lua(?: flags=(\S+))?\n/;

/** All keys must be in one slot. */
export interface ScriptCall {
  readonly script: RedisScript;
  readonly keys: readonly string[];
  readonly args: readonly ScriptArg[];
}

/**
 * A Lua script, which Redis runs atomically. It returns its reply and, if it can run together with others, a function
 * that performs the writes, or `false` to refuse.
 */
export interface RedisScript {
  run(client: RedisClient, keys: readonly string[], args: readonly ScriptArg[]): Promise<unknown>;
  readonly parts: ScriptParts;
}

export interface ScriptParts {
  /** Flags in the `#!lua` line. Undefined if the script has no such line; Redis then checks each command. */
  readonly flags: readonly string[] | undefined;
  /** See `withConstants`. */
  readonly constants: string;
  /** Contents of included files by URL, dependencies first. */
  readonly includes: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * Loads a `.lua` file: `loadScript(new URL('./reserve-budget.lua', import.meta.url))`. A line `-- @include shared.lua`
 * includes another file, relative to this one. An indented line includes the file in the surrounding function, so that
 * its values are created only when that function runs.
 * @param constants by upper-case name; cheaper than arguments
 */
export function loadScript(
  file: URL,
  constants: Readonly<Record<string, string | number>> = {},
): RedisScript {
  const parts = readScriptParts(file, constants);
  const alone = new Map<StoredVersion, Evaluable>();
  function evaluableFor(version: StoredVersion): Evaluable {
    const known = alone.get(version);
    if (known !== undefined) return known;
    const evaluable = prepare(
      parts.flags,
      version,
      `${parts.constants}${[...parts.includes.values()].join('')}local function part()\n${parts.body}\nend\n${RUN_ALONE}`,
    );
    alone.set(version, evaluable);
    return evaluable;
  }
  return {
    parts,
    run: (client, keys, args) => {
      const evaluable = evaluableFor(writeVersionOf(client));
      return evaluate(client, evaluable, scriptWords(evaluable.sha, keys, args));
    },
  };
}

/** Runs scripts in order, atomically. If one refuses, later ones do not run and nothing is written. */
export function runTogether(client: RedisClient, calls: readonly ScriptCall[]): Promise<Replies> {
  const evaluable = composed(calls, writeVersionOf(client));
  const words = [evaluable.sha, ''];
  for (const { keys } of calls) for (const key of keys) words.push(key);
  const keyCount = words.length - BEFORE_KEYS;
  words[1] = String(keyCount);
  words.push(endsOf(calls));
  for (const { args } of calls) for (const arg of args) words.push(String(arg));
  return evaluate(client, evaluable, words).then((reply) => readReplies(reply, calls.length));
}

function readReplies(reply: unknown, calls: number): Replies {
  if (!Array.isArray(reply)) throw wrongShape();
  const refused: unknown = reply[0];
  const replies: readonly unknown[] = reply.slice(1);
  if (refused === 0 && replies.length === calls) return { refused: undefined, replies };
  if (typeof refused !== 'number' || refused !== replies.length || refused === 0) throw wrongShape();
  return { refused: refused - 1, replies };
}

export interface Replies {
  /** Index of the call that refused, which is the last one with a reply. */
  readonly refused: number | undefined;
  readonly replies: readonly unknown[];
}

const BEFORE_KEYS = 2;

interface Evaluable {
  readonly source: string;
  readonly sha: string;
}

function evaluate(client: RedisClient, { source }: Evaluable, words: string[]): Promise<unknown> {
  const sent = Promise.resolve(client.sendCommand(new ScriptCommand('evalsha', words)));
  return sent.catch((failure: unknown) => {
    // Restarted or flushed servers and new masters do not know the script. In a cluster, redirects may come first.
    if (failure instanceof Error && failure.message.includes('NOSCRIPT')) {
      return client.sendCommand(new ScriptCommand('eval', words.with(0, source)));
    }
    throw failure;
  });
}

const RUN_ALONE = `
local reply, commit = part()
if commit then
  commit()
end
return reply
`;

/** Returns the end offsets of each part's keys and arguments, which joined scripts get as ARGV[1]. */
function endsOf(calls: readonly ScriptCall[]): string {
  let keyEnd = 0;
  let argEnd = 1;
  let ends = '';
  for (const { keys, args } of calls) {
    keyEnd += keys.length;
    argEnd += args.length;
    ends += endDigits(keyEnd) + endDigits(argEnd);
  }
  return ends;
}

/** Encodes an offset as two base-64 digits, starting at `0`. */
function endDigits(end: number): string {
  if (end >= 4_096) throw new Error('joined scripts have too many keys or arguments');
  return String.fromCharCode(48 + (end >> 6), 48 + (end & 63));
}

/**
 * Joins scripts. Each part sees its own KEYS and ARGV when it judges and when it writes; ARGV[1] has their end offsets
 * (`endsOf`). Unrolled code costs Redis less than tables of parts, replies and commits.
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

/** A tree of the few script combinations in use. */
interface Composition {
  evaluable: Evaluable | undefined;
  readonly longer: Map<RedisScript, Composition>;
}

const compositions: Readonly<Record<StoredVersion, Composition>> = {
  1: { evaluable: undefined, longer: new Map() },
  2: { evaluable: undefined, longer: new Map() },
};

function composed(calls: readonly ScriptCall[], version: StoredVersion): Evaluable {
  let found: Composition = compositions[version];
  for (const { script } of calls) {
    let longer = found.longer.get(script);
    if (longer === undefined) {
      longer = { evaluable: undefined, longer: new Map() };
      found.longer.set(script, longer);
    }
    found = longer;
  }
  return (found.evaluable ??= composedOf(
    calls.map(({ script }) => script.parts),
    version,
  ));
}

function composedOf(parts: readonly ScriptParts[], version: StoredVersion): Evaluable {
  const includes = new Map(parts.flatMap((part) => [...part.includes]));
  const bodies = parts.map(({ body }) => body);
  const constants = new Set(parts.map((part) => part.constants));
  return prepare(
    // Flags lift restrictions, so only those that all parts have are kept.
    parts[0]?.flags?.filter((flag) => parts.every(({ flags }) => flags?.includes(flag))) ?? [],
    version,
    `${[...constants].join('')}local KEYS, ARGV = KEYS, ARGV\n${[...includes.values()].join('')}${togetherText(bodies)}`,
  );
}

function prepare(flags: ScriptParts['flags'], version: StoredVersion, text: string): Evaluable {
  const head = flags === undefined ? '' : `#!lua${flags.length === 0 ? '' : ` flags=${flags.join(',')}`}\n`;
  const source = head + withoutUnused(withConstants(versionConstants(version) + text));
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

function versionConstants(version: StoredVersion): string {
  const reads = `${STORED_VERSIONS[0]}, ${NEWEST_STORED_VERSION}`;
  return `local READS_FROM, READS_TO, WRITE_VERSION = ${reads}, ${version}\n`;
}

function readScriptParts(file: URL, constants: Readonly<Record<string, string | number>>): ScriptParts {
  const text = readFileSync(file, 'utf8');
  const includes = new Map<string, string>();
  const body = withoutIncludes(text.replace(HEAD, ''), file, includes);
  const head = HEAD.exec(text);
  return {
    flags: head === null ? undefined : (head[1]?.split(',') ?? []),
    constants: Object.entries(constants)
      .map(([name, value]) => `local ${name} = ${typeof value === 'string' ? `'${value}'` : String(value)}\n`)
      .join(''),
    includes,
    body,
  };
}

const includedTexts = new Map<string, string>();

function readIncluded(file: URL): string {
  const text = includedTexts.get(file.href) ?? readFileSync(file, 'utf8');
  includedTexts.set(file.href, text);
  return text;
}

/** Moves each included file to `includes` once, dependencies first. */
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
