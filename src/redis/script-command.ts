import { Command } from 'ioredis';

export type ScriptArg = string | number;

const USUAL_ARGUMENT_BYTES = 512;

/** Ends an argument and announces the next one by its length in bytes. */
const ANNOUNCED: readonly string[] = Array.from({ length: USUAL_ARGUMENT_BYTES }, (_, bytes) =>
  announced(bytes),
);

function announced(bytes: number): string {
  return `\r\n$${String(bytes)}\r\n`;
}

const TEXT_REPLIES = { replyEncoding: 'utf8' } as const;

/**
 * EVALSHA or EVAL as an ioredis command, which can be resent and redirected, but encodes its arguments at half the
 * cost.
 */
export class ScriptCommand extends Command {
  /** @param words everything after the command's name, see `scriptWords`; not copied */
  constructor(name: 'evalsha' | 'eval', words: string[]) {
    super(name, [], TEXT_REPLIES);
    this.args = words;
  }

  override toWritable(): string {
    return encodedCommand(this.name, this.args as readonly string[]);
  }
}

/** @param script its digest or its text */
export function scriptWords(script: string, keys: readonly string[], args: readonly ScriptArg[]): string[] {
  const words = [script, String(keys.length)];
  for (const key of keys) words.push(key);
  for (const arg of args) words.push(String(arg));
  return words;
}

function encodedCommand(name: string, args: readonly string[]): string {
  const begin = `*${String(args.length + 1)}`;
  let text = begin + announced(name.length) + name;
  for (const arg of args) {
    text += ANNOUNCED[arg.length] ?? announced(arg.length);
    text += arg;
  }
  text += '\r\n';
  // Some character takes more than one byte.
  return Buffer.byteLength(text) === text.length ? text : encodedByBytes(begin, name, args);
}

function encodedByBytes(begin: string, name: string, args: readonly string[]): string {
  return `${begin}${[name, ...args].map((arg) => announced(Buffer.byteLength(arg)) + arg).join('')}\r\n`;
}
