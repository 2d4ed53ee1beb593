/** The output of `record.ts`: the Redis of one gateway version after known traffic, and that version's own reports. */
export interface StoredFixture {
  /** The gateway that wrote it. */
  readonly gateway: string;
  /** Unix ms by Redis's clock. */
  readonly recordedAt: number;
  /** Hashes of the keys, by name. */
  readonly keys: Readonly<Record<KeyName, string>>;
  /** Hash of the raw key that a rotation issued. */
  readonly rotatedTo: string;
  /** The request that the provider has not answered. */
  readonly openOperation: string;
  /** `gateway budget status` of the version itself, in nano-USD. */
  readonly spent: Readonly<Record<'steady' | 'waiting', WindowSpend>>;
  readonly values: readonly StoredValue[];
}

export interface WindowSpend {
  readonly spent: number;
  readonly reserved: number;
}

export interface StoredValue {
  readonly key: string;
  /** Remaining lifetime when recorded; -1 without an end. */
  readonly ttlMs: number;
  /** In `DUMP`'s format, in base64. */
  readonly dump: string;
}

export const KEY_NAMES = ['steady', 'waiting', 'locked', 'risky', 'rotated', 'revoked', 'tools'] as const;
export type KeyName = (typeof KEY_NAMES)[number];

export const SESSION = 'talk';
export const SESSION_STEPS = 3;
export const MAX_STEPS = 5;
/** Of `steady` and `waiting`. */
export const DAILY_USD = 0.01;
export const MAX_TOKENS = 100;
/** One token of the model `flat`. */
export const TOKEN_NANO_USD = 1_000;
export const MCP_SERVER = 'tools';
export const BROKEN_SERVER = 'broken';
