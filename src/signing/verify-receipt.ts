import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose';
import { RECEIPT_TYPE, receiptSchema, type Receipt } from './receipt.ts';

export type ReceiptKey = { readonly secret: string } | { readonly keys: JSONWebKeySet };

export type VerifiedReceipt =
  | { readonly valid: true; readonly receipt: Receipt; readonly kid: string | undefined }
  | { readonly valid: false; readonly reason: string };

const MAX_CHARS = 16_384;

/** Does not throw for an invalid receipt, but returns `valid: false`. */
export async function verifyReceipt(written: string, key: ReceiptKey): Promise<VerifiedReceipt> {
  if (written.length > MAX_CHARS) return invalidReceipt('it is too long for a receipt');
  try {
    const { payload, protectedHeader } =
      'secret' in key
        ? await compactVerify(written, Buffer.from(key.secret), { algorithms: ['HS256'] })
        : await compactVerify(written, createLocalJWKSet(key.keys), { algorithms: ['EdDSA'] });
    if (protectedHeader.typ !== RECEIPT_TYPE) {
      return invalidReceipt(`it is signed by this key, but it is not a receipt (typ is not ${RECEIPT_TYPE})`);
    }
    const read = receiptSchema.safeParse(JSON.parse(Buffer.from(payload).toString()));
    if (!read.success) return invalidReceipt('it is signed by this key, but its content is not a receipt');
    return { valid: true, receipt: read.data, kid: protectedHeader.kid };
  } catch (cause) {
    return invalidReceipt(whyInvalid(cause));
  }
}

function invalidReceipt(reason: string): VerifiedReceipt {
  return { valid: false, reason };
}

function whyInvalid(cause: unknown): string {
  if (cause instanceof errors.JWSSignatureVerificationFailed) return 'its signature does not match this key';
  if (cause instanceof errors.JWKSNoMatchingKey) return 'the key set has no key with its kid';
  if (cause instanceof errors.JOSEAlgNotAllowed) return 'its algorithm does not match this key';
  return 'it is not a signed receipt (three base64url parts, joined by dots)';
}
