import { Command } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { ScriptCommand, scriptWords } from '../../../src/redis/script-command.ts';

const SHA = 'f'.repeat(40);
const KEYS = ['gateway:{sha256:ab}:a', 'gateway:{sha256:ab}:b'];
const ARGUMENTS = [
  ['', 0, -1, 1.5, 1e21, NaN],
  ['plain', 'x'.repeat(511), 'x'.repeat(512), 'x'.repeat(70_000)],
  ['\r\n$3\r\nGET\r\n', '*1', '\0'],
  ['é', '\u0080', '\u{1F600}', '名'.repeat(600), 'lone \uD800 surrogate'],
  ['', 'ÿ', 7, ''],
];

describe('ScriptCommand', () => {
  it('writes the same bytes as the client would', () => {
    for (const name of ['evalsha', 'eval'] as const) {
      for (const args of ARGUMENTS) {
        for (const keys of [[], KEYS, ['é']]) {
          const own = new ScriptCommand(name, scriptWords(SHA, keys, args));
          const clients = new Command(name, [SHA, keys.length, ...keys, ...args]);
          expect(Buffer.from(own.toWritable())).toEqual(Buffer.from(clients.toWritable({})));
        }
      }
    }
  });

  it('has the slot of its keys, and none without keys', () => {
    expect(new ScriptCommand('evalsha', scriptWords(SHA, KEYS, [1])).getKeys()).toEqual(KEYS);
    expect(new ScriptCommand('eval', scriptWords('return 1', [], [KEYS[0] ?? ''])).getKeys()).toEqual([]);
  });

  it('returns texts for bulk strings, also in lists', async () => {
    const command = new ScriptCommand('evalsha', scriptWords(SHA, [], []));
    command.resolve([Buffer.from('é'), [Buffer.from('a'), 1], null]);
    await expect(command.promise).resolves.toEqual(['é', ['a', 1], null]);
  });
});
