import * as z from 'zod';
import { section } from '../fields.ts';

/** Signed upstream requests and receipts (docs/signatures.md). */
export const signature = section({
  enabled: z.boolean().default(false),
  type: z.enum(['hmac', 'ed25519']).default('hmac'),
  /** The HMAC secret, or for ed25519 a PKCS#8 PEM or its path. */
  secret: z.string().default(''),
}).prefault({});
