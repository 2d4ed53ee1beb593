import { setTimeout as delay } from 'node:timers/promises';
import { loadPolicies } from './load-policies.ts';
import { PolicyFilesError } from './policy-files-error.ts';
import { readPolicyFiles, stampOf, type PolicyFiles, type PolicySources } from './policy-files.ts';
import type { PolicySet } from './policy-set.ts';
import type { RegoEngineOptions } from './rego/engine.ts';

export interface LivePoliciesOptions {
  readonly sources: PolicySources;
  readonly engine: RegoEngineOptions;
  /** Also called when the files match the current set again after `onBroken`. */
  readonly onLoaded: (digest: string) => void;
  /** Called when changed files cannot be used; the last valid set stays in effect. */
  readonly onBroken: (cause: unknown) => void;
}

export interface LivePolicies {
  /** Returns the current set, which may change between calls. Call it once per request. */
  current(): PolicySet;
  close(): Promise<void>;
}

/** File watchers miss either editors' renames or Kubernetes' symlink swaps, so files are polled. */
const POLL_MS = 300;
/** Delay before retrying files that broke the engine, because each attempt occupies a CPU core. */
const RETRY_MS = 60_000;
const MAX_READS = 20;
/** Time after which no request uses a replaced set. */
const OLD_SET_LIFE_MS = 30_000;

/**
 * Loads the policies and watches their files. A changed set is compiled in the background and replaces the old one.
 * @throws PolicyFilesError | RegoEvaluationError if the initial load fails
 */
export async function loadLivePolicies(options: LivePoliciesOptions): Promise<LivePolicies> {
  const { sources, engine } = options;
  let seen = await readSettled(sources);
  let { set } = await loadPolicies(seen.files, engine);
  let goodStamp = seen.stamp;
  options.onLoaded(set.digest);
  const ended = new AbortController();
  const retired = new Set<PolicySet>();
  /** Files that broke the engine; skipped until `untilMs`. */
  let failed = { stamp: '', untilMs: 0 };
  const watching = watch();

  async function watch(): Promise<void> {
    let lastFailure: unknown;
    let isBroken = false;
    while (await pause(POLL_MS, ended.signal)) {
      try {
        const stamp = await stampOf(sources);
        if (stamp === failed.stamp && Date.now() < failed.untilMs) continue;
        const before = set;
        if (stamp !== seen.stamp) await load();
        lastFailure = undefined;
        if (seen.stamp !== goodStamp) continue; // known to be unusable
        if (isBroken && set === before) options.onLoaded(set.digest);
        isBroken = false;
      } catch (cause) {
        if (String(cause) !== String(lastFailure)) options.onBroken(cause);
        lastFailure = cause;
        isBroken = true;
      }
    }
  }

  async function load(): Promise<void> {
    const next = await readSettled(sources);
    assertNotAllRemoved(seen.files, next.files);
    const old = set;
    if (next.files.digest !== old.digest) set = await compiled(next);
    seen = next;
    goodStamp = next.stamp;
    if (set === old) return;
    options.onLoaded(set.digest);
    retire(old);
  }

  /** Files that broke the engine are retried after a delay; invalid files must change first. */
  async function compiled(next: Settled): Promise<PolicySet> {
    try {
      return (await loadPolicies(next.files, engine)).set;
    } catch (cause) {
      if (cause instanceof PolicyFilesError) seen = next;
      else failed = { stamp: next.stamp, untilMs: Date.now() + RETRY_MS };
      throw cause;
    }
  }

  function retire(old: PolicySet): void {
    retired.add(old);
    void pause(OLD_SET_LIFE_MS, ended.signal).then(() => {
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

/** Files that did not change while they were read, because a mixture of two versions is not a valid set. */
interface Settled {
  readonly stamp: string;
  readonly files: PolicyFiles;
}

async function readSettled(sources: PolicySources): Promise<Settled> {
  for (let attempt = 1; ; attempt++) {
    const stamp = await stampOf(sources);
    const files = await readPolicyFiles(sources);
    if ((await stampOf(sources)) === stamp) return { stamp, files };
    if (attempt === MAX_READS)
      throw new PolicyFilesError('the policy files kept changing while they were read');
  }
}

/** Refuses to drop the last file, because that may be a mistake and would disable the policies. */
function assertNotAllRemoved(before: PolicyFiles, after: PolicyFiles): void {
  const written = ({ rego, cards }: PolicyFiles): number =>
    rego.length + cards.filter(({ isPreset }) => !isPreset).length;
  if (written(before) > 0 && written(after) === 0)
    throw new PolicyFilesError('every policy file has been removed: restart to run without policies');
}

/** Resolves to false if aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal, ref: false }).catch(() => false);
}
