import { hash } from 'node:crypto';
import { nextTurn } from '../turns.ts';
import { signCompact, signDetached } from './jws.ts';
import { RECEIPT_TYPE, REQUEST_TYPE, type Receipt } from './receipt.ts';
import type { SigningKey } from './signing-key.ts';

/** What signs one exchange (docs/signatures.md). */
export interface Signer {
  /** `sha256:<hex>` of a body. */
  digest(body: Buffer): string;
  /** `X-Gateway-Signature` of the bytes that go upstream. */
  request(body: Buffer, requestId: string): Promise<string>;
  /** `X-Gateway-Signature` of an answer. */
  receipt(receipt: Omit<Receipt, 'iat'>): string;
}

/** From here on signing has a turn of its own. */
const LARGE_BYTES = 256 * 1_024;

/** @param now Unix ms */
export function createSigner(key: SigningKey, now: () => number = Date.now): Signer {
  const seconds = (): number => Math.floor(now() / 1_000);
  return {
    digest: (body) => `sha256:${hash('sha256', body, 'hex')}`,
    async request(body, requestId) {
      if (body.length >= LARGE_BYTES) await nextTurn();
      return signDetached(key, { typ: REQUEST_TYPE, iat: seconds(), jti: requestId }, body);
    },
    receipt: (receipt) => signCompact(key, { typ: RECEIPT_TYPE }, { ...receipt, iat: seconds() }),
  };
}
