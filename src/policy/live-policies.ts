import { setTimeout as pause } from 'node:timers/promises';
import { PolicyFilesError } from './policy-files-error.ts';
import { readPolicyFiles, stampOf, type PolicyFiles, type PolicySources } from './policy-files.ts';
import { createPolicySet, type PolicySet } from './policy-set.ts';
import type { RegoEngineOptions } from './rego/engine.ts';
import { RegoFilesError } from './rego/rego-error.ts';

export interface LivePoliciesOptions {
  readonly sources: PolicySources;
  readonly engine: RegoEngineOptions;
  /** A new set is in force, or the files hold the set in force again after `onBroken`. */
  readonly onLoaded: (digest: string) => void;
  /** The files changed and make no set: the last good one stays. */
  readonly onBroken: (cause: unknown) => void;
}

/** The policy set in force, which follows the files on disk. */
export interface LivePolicies {
  /** Ask for it once a request: it may be another one the next time. */
  current(): PolicySet;
  close(): Promise<void>;
}

/**
 * Editors write by rename, Kubernetes swaps a symlink, and watchers of files miss one or the other: looking is certain,
 * and costs a reading of the folder.
 */
const LOOK_EVERY_MS = 300;
/** Files that the engine did not live to compile may do so on a less busy machine; each attempt takes a core meanwhile. */
const TRY_AGAIN_MS = 60_000;
/** Of files that change while they are read, each time. */
const MAX_READS = 20;
/** Requests that were judging by a set when it was replaced are done with it by then. */
const OLD_SET_LIFE_MS = 30_000;

/**
 * Loads the policies and keeps them true. A change is compiled aside and takes the place of the old set in whole.
 *
 * @throws PolicyFilesError | RegoFilesError where they cannot be loaded at the start
 */
export async function loadLivePolicies(options: LivePoliciesOptions): Promise<LivePolicies> {
  const { sources, engine } = options;
  let seen = await readSettled(sources);
  let set = await createPolicySet(seen.files, engine);
  /** Stamp of the files that hold the set in force. */
  let goodStamp = seen.stamp;
  options.onLoaded(set.digest);
  const ended = new AbortController();
  const retired = new Set<PolicySet>();
  /** Files that the engine failed, and until when they are left alone. */
  let failed = { stamp: '', untilMs: 0 };
  const watching = watch();

  /** What is wrong with the files is said once for each state of them. */
  async function watch(): Promise<void> {
    let trouble: unknown;
    let isBroken = false;
    while (await aWhile(LOOK_EVERY_MS, ended.signal)) {
      try {
        const stamp = await stampOf(sources);
        if (stamp === failed.stamp && Date.now() < failed.untilMs) continue;
        const before = set;
        if (stamp !== seen.stamp) await load();
        trouble = undefined;
        if (seen.stamp !== goodStamp) continue; // known to make no set
        if (isBroken && set === before) options.onLoaded(set.digest);
        isBroken = false;
      } catch (cause) {
        if (String(cause) !== String(trouble)) options.onBroken(cause);
        trouble = cause;
        isBroken = true;
      }
    }
  }

  async function load(): Promise<void> {
    const next = await readSettled(sources);
    assertNoneGone(seen.files, next.files);
    const old = set;
    if (next.files.digest !== old.digest) set = await compiled(next);
    seen = next;
    goodStamp = next.stamp;
    if (set === old) return;
    options.onLoaded(set.digest);
    retire(old);
  }

  /** Files that make no set are not tried again until they change; where the engine failed them, they are in a while. */
  async function compiled(next: Settled): Promise<PolicySet> {
    try {
      return await createPolicySet(next.files, engine);
    } catch (cause) {
      if (cause instanceof RegoFilesError || cause instanceof PolicyFilesError) seen = next;
      else failed = { stamp: next.stamp, untilMs: Date.now() + TRY_AGAIN_MS };
      throw cause;
    }
  }

  function retire(old: PolicySet): void {
    retired.add(old);
    void aWhile(OLD_SET_LIFE_MS, ended.signal).then(() => {
      retired.delete(old);
      return old.close();
    });
  }

  return {
    current: () => set,
    async close() {
      ended.abort();
      await watching;
      await Promise.all([set, ...retired].map((each) => each.close()));
    },
  };
}

/** Files that did not change while they were read: half of one state and half of another is no set. */
interface Settled {
  readonly stamp: string;
  readonly files: PolicyFiles;
}

async function readSettled(sources: PolicySources): Promise<Settled> {
  for (let attempt = 1; ; attempt++) {
    const stamp = await stampOf(sources);
    const files = await readPolicyFiles(sources);
    if ((await stampOf(sources)) === stamp) return { stamp, files };
    if (attempt === MAX_READS) throw new PolicyFilesError('the policies change while they are read');
  }
}

/** Whoever deletes the last file may have deleted the wrong one: without it nothing of theirs would be in force. */
function assertNoneGone(before: PolicyFiles, after: PolicyFiles): void {
  const written = ({ rego, cards }: PolicyFiles): number =>
    rego.length + cards.filter(({ isPreset }) => !isPreset).length;
  if (written(before) > 0 && written(after) === 0)
    throw new PolicyFilesError('every policy file is gone: to run without them, restart');
}

/** Resolves to false where it was ended before. */
async function aWhile(ms: number, signal: AbortSignal): Promise<boolean> {
  return pause(ms, true, { signal, ref: false }).catch(() => false);
}
