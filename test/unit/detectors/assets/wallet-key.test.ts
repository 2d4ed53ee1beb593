import { createHash } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { walletKeyDetector } from '../../../../src/detectors/assets/wallet-key.ts';
import { brokenAt, wordsIn } from '../stream-contract.ts';
import { threadCpuMs } from '../../../support/cpu-time.ts';

const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

function base58Check(hex: string): string {
  const payload = Buffer.from(hex, 'hex');
  const checksum = sha256(sha256(payload)).subarray(0, 4).toString('hex');
  let value = BigInt(`0x${hex}${checksum}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = (DIGITS[Number(value % 58n)] ?? '') + text;
  return text;
}

const KEY = sha256(Buffer.from('a key of no wallet')).toString('hex');
const KEYS = {
  'a key of Bitcoin': base58Check(`80${KEY}`),
  'one of a compressed public key': base58Check(`80${KEY}01`),
  'one of the test network': base58Check(`ef${KEY}01`),
  'an extended key': base58Check(`0488ade4${'00'.repeat(9)}${KEY}00${KEY}`),
  'one of another script': base58Check(`04b2430c${'00'.repeat(9)}${KEY}00${KEY}`),
};

describe('private keys of wallets', () => {
  test.each(Object.entries(KEYS))('%s is found', (_, key) => {
    expect(wordsIn(walletKeyDetector, `Take ${key}.`)).toEqual([key]);
    expect(wordsIn(walletKeyDetector, `"wif":"${key}"`)).toEqual([key]);
  });

  test.each(Object.entries(KEYS))('%s with a wrong character is not found', (_, key) => {
    const wrong = key.slice(0, 20) + (key[20] === 'z' ? 'y' : 'z') + key.slice(21);
    expect(wordsIn(walletKeyDetector, `Take ${wrong}.`)).toEqual([]);
    expect(wordsIn(walletKeyDetector, `Take ${key}z.`)).toEqual([]);
    expect(wordsIn(walletKeyDetector, `Take z${key}.`)).toEqual([]);
  });

  test.each([
    [`ETH_PRIVATE_KEY=0x${KEY}`, `0x${KEY}`],
    [`"privateKey": "${KEY}"`, KEY],
    [`wallet key: ${KEY}`, KEY],
    [`DEPLOYER_PRIVATE_KEY='0x${KEY}'`, `0x${KEY}`],
  ])('of Ethereum are found by their names: %s', (text, key) => {
    expect(wordsIn(walletKeyDetector, text)).toEqual([key]);
  });

  test.each([
    ['a digest without a name', `sha256:${KEY}`],
    ['an address', `wallet_key = 0x${KEY.slice(0, 40)}`],
    ['zeros', `private_key = 0x${'0'.repeat(64)}`],
    ['a hash of a transaction', `transactionHash: 0x${KEY}`],
    ['more digits', `private_key = ${KEY}0`],
  ])('of Ethereum are not %s', (_, text) => {
    expect(wordsIn(walletKeyDetector, text)).toEqual([]);
  });

  it('are decided alike at every cut', () => {
    const text = `Keys: ${Object.values(KEYS).join(', ')} and private_key = 0x${KEY}, the last.`;
    const cuts = Array.from({ length: text.length + 1 }, (_, at) => at);
    expect(brokenAt(walletKeyDetector, text, cuts, 111)).toEqual([]);
  });

  it('are searched in linear time', () => {
    const begun = threadCpuMs();
    for (const piece of ['5', 'private_key = ', 'xprv', 'K1', 'eth_private_key_'])
      walletKeyDetector.find(piece.repeat(200_000 / piece.length));
    expect(threadCpuMs() - begun).toBeLessThan(4_000);
  });
});
