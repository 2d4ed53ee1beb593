import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose';
import { RECEIPT_TYPE, receiptSchema, type Receipt } from './receipt.ts';

/** What a receipt is verified by. */
export type ReceiptKey = { readonly secret: string } | { readonly keys: JSONWebKeySet };

export type VerifiedReceipt =
  | { readonly valid: true; readonly receipt: Receipt; readonly kid: string | undefined }
  | { readonly valid: false; readonly reason: string };

const MAX_CHARS = 16_384;

/** Judges a receipt; that it is not valid is an answer, not an error. */
export async function verifyReceipt(written: string, key: ReceiptKey): Promise<VerifiedReceipt> {
  if (written.length > MAX_CHARS) return invalidReceipt('it is too long to be a receipt');
  try {
    const { payload, protectedHeader } =
      'secret' in key
        ? await compactVerify(written, Buffer.from(key.secret), { algorithms: ['HS256'] })
        : await compactVerify(written, createLocalJWKSet(key.keys), { algorithms: ['EdDSA'] });
    if (protectedHeader.typ !== RECEIPT_TYPE) {
      return invalidReceipt(`it is signed by this key, but is no receipt (typ is not ${RECEIPT_TYPE})`);
    }
    const read = receiptSchema.safeParse(JSON.parse(Buffer.from(payload).toString()));
    if (!read.success) return invalidReceipt('it is signed by this key, but says not what a receipt says');
    return { valid: true, receipt: read.data, kid: protectedHeader.kid };
  } catch (cause) {
    return invalidReceipt(whyInvalid(cause));
  }
}

function invalidReceipt(reason: string): VerifiedReceipt {
  return { valid: false, reason };
}

function whyInvalid(cause: unknown): string {
  if (cause instanceof errors.JWSSignatureVerificationFailed) return 'its signature is not by this key';
  if (cause instanceof errors.JWKSNoMatchingKey) return 'the key set has no key of its kid';
  if (cause instanceof errors.JOSEAlgNotAllowed) return 'its algorithm is not the one of this key';
  return 'it is no signed receipt (three parts of base64url, joined by dots)';
}
