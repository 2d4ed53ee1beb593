export interface ObjectsOfKey {
  readonly keyHash: string;
  readonly provider: string;
  readonly ids: readonly string[];
}

/** Lifetime of an object after its last use. */
export const STORED_OBJECT_LIFE_MS = 90 * 86_400_000;

/** Maximum number of objects per key. Beyond it, the least recently used are forgotten. */
export const MAX_STORED_OBJECTS = 100_000;

/** Records which key created which object at a provider. */
export interface StoredObjectStore {
  /** @throws GatewayError redis_unavailable */
  keep(objects: ObjectsOfKey): Promise<void>;
  /**
   * Reports for each id whether it belongs to the key, and extends the lifetime of those that do.
   * @throws GatewayError redis_unavailable
   */
  find(objects: ObjectsOfKey): Promise<readonly boolean[]>;
}
