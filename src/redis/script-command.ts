import { Command } from 'ioredis';

export type ScriptArg = string | number;

const USUAL_ARGUMENT_BYTES = 512;

/** Separators by length of the next argument in bytes (RESP). */
const SEPARATORS: readonly string[] = Array.from({ length: USUAL_ARGUMENT_BYTES }, (_, bytes) =>
  separator(bytes),
);

function separator(bytes: number): string {
  return `\r\n$${String(bytes)}\r\n`;
}

const TEXT_REPLIES = { replyEncoding: 'utf8' } as const;

/** An ioredis command that encodes its arguments in half the time. */
export class ScriptCommand extends Command {
  /** @param words from `scriptWords`; not copied */
  constructor(name: 'evalsha' | 'eval', words: string[]) {
    super(name, [], TEXT_REPLIES);
    this.args = words;
  }

  override toWritable(): string {
    return encodedCommand(this.name, this.args as readonly string[]);
  }
}

/** @param script SHA-1 digest or source of the script */
export function scriptWords(script: string, keys: readonly string[], args: readonly ScriptArg[]): string[] {
  const words = [script, String(keys.length)];
  for (const key of keys) words.push(key);
  for (const arg of args) words.push(String(arg));
  return words;
}

function encodedCommand(name: string, args: readonly string[]): string {
  const begin = `*${String(args.length + 1)}`;
  let text = begin + separator(name.length) + name;
  for (const arg of args) {
    text += SEPARATORS[arg.length] ?? separator(arg.length);
    text += arg;
  }
  text += '\r\n';
  const isAscii = Buffer.byteLength(text) === text.length;
  return isAscii ? text : encodedByBytes(begin, name, args);
}

function encodedByBytes(begin: string, name: string, args: readonly string[]): string {
  return `${begin}${[name, ...args].map((arg) => separator(Buffer.byteLength(arg)) + arg).join('')}\r\n`;
}
