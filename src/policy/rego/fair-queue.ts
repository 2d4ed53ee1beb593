export interface Queued {
  readonly tenant: string;
  readonly size: number;
}

export interface QueueLimits {
  /** Maximum number of entries across all tenants. */
  readonly maxEntries: number;
  /** Maximum number of characters across all entries. */
  readonly maxSize: number;
}

interface Line<Entry> {
  readonly entries: Entry[];
  size: number;
}

/** Serves tenants in turn. If full, drops the newest entries of the tenant with the largest share. */
export class FairQueue<Entry extends Queued> {
  readonly #limits: QueueLimits;
  readonly #lines = new Map<string, Line<Entry>>();
  #count = 0;
  #size = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Returns displaced entries, possibly including the new one. */
  add(entry: Entry): readonly Entry[] {
    let line = this.#lines.get(entry.tenant);
    if (line === undefined) this.#lines.set(entry.tenant, (line = { entries: [], size: 0 }));
    line.entries.push(entry);
    this.#resize(line, 1, entry.size);
    const dropped: Entry[] = [];
    while (this.#count > this.#limits.maxEntries) {
      dropped.push(...this.#dropNewest(({ entries }) => entries.length));
    }
    while (this.#size > this.#limits.maxSize) dropped.push(...this.#dropNewest(({ size }) => size));
    return dropped;
  }

  /** Takes the next entry of the first tenant that `serves` accepts. */
  next(serves: (tenant: string) => boolean): Entry | undefined {
    for (const [tenant, line] of this.#lines) {
      if (!serves(tenant)) continue;
      const [entry] = line.entries;
      if (entry === undefined) continue;
      this.remove(entry);
      if (this.#lines.delete(tenant)) this.#lines.set(tenant, line);
      return entry;
    }
    return undefined;
  }

  has(serves: (tenant: string) => boolean): boolean {
    return [...this.#lines.keys()].some(serves);
  }

  /** Returns false if the entry is no longer waiting. */
  remove(entry: Entry): boolean {
    const line = this.#lines.get(entry.tenant);
    const index = line?.entries.indexOf(entry) ?? -1;
    if (line === undefined || index === -1) return false;
    line.entries.splice(index, 1);
    this.#resize(line, -1, -entry.size);
    if (line.entries.length === 0) this.#lines.delete(entry.tenant);
    return true;
  }

  clear(): readonly Entry[] {
    const all = [...this.#lines.values()].flatMap(({ entries }) => entries);
    this.#lines.clear();
    this.#count = 0;
    this.#size = 0;
    return all;
  }

  #dropNewest(heldBy: (line: Line<Entry>) => number): readonly Entry[] {
    let largest: Line<Entry> | undefined;
    for (const line of this.#lines.values()) {
      if (largest === undefined || heldBy(line) > heldBy(largest)) largest = line;
    }
    const entry = largest?.entries.at(-1);
    return entry !== undefined && this.remove(entry) ? [entry] : [];
  }

  #resize(line: Line<Entry>, count: number, size: number): void {
    line.size += size;
    this.#count += count;
    this.#size += size;
  }
}
