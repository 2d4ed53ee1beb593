import type { Target } from '../support/load.ts';
import { CORE_CHECKS, EQUAL_WORK, EVERY_CHECK } from './settings.ts';
import { startGateway } from './gateway-rig.ts';
import { EVERY_ENGINE } from './proof.ts';
import { startGoNoop, startOurNoop } from './noop-rigs.ts';
import { startOnParts, type Parts } from './parts.ts';
import type { MissingRig, Rig } from './rig.ts';
import { startPassThrough } from './plain-envoy.ts';
import { LITELLM_NAME, startLiteLlm } from './litellm-rig.ts';
import { startPortkey } from './portkey-rig.ts';

export interface CostRigs {
  readonly rigs: readonly Rig[];
  readonly missing: readonly MissingRig[];
  readonly redisPort: number;
  readonly providerPid: number;
}

type Start = (parts: Parts) => Promise<Rig | MissingRig>;

const OURS_CORE = 'ours, keys and budgets only';
const OURS_EQUAL = 'ours, keys, budgets and DLP both ways';
export const OURS_ALL = 'ours, every check on';

/** By the names of their rows, or their prefixes: an unselected rig is not started. */
const RIGS: readonly (readonly [string, Start])[] = [
  ['Envoy pass-through', startPassThrough],
  ['Envoy + no-op in Go', startGoNoop],
  ['our Envoy + no-op, lean', (parts) => startOurNoop(parts, 'lean')],
  ['Portkey with 8 regex guards', startPortkey],
  [LITELLM_NAME, startLiteLlm],
  [OURS_CORE, async (parts) => (await startGateway(parts, OURS_CORE, CORE_CHECKS)).rig],
  [OURS_EQUAL, async (parts) => (await startGateway(parts, OURS_EQUAL, EQUAL_WORK, ['budgets', 'dlp'])).rig],
  [
    OURS_ALL,
    async (parts) => ({
      ...(await startGateway(parts, OURS_ALL, EVERY_CHECK, EVERY_ENGINE)).rig,
      inSessions: true,
    }),
  ],
];

export const RIG_NAMES: readonly string[] = RIGS.map(([name]) => name);

/** The selected ones. */
export function startRigs(
  isWanted: (name: string) => boolean,
): Promise<CostRigs & { close(): Promise<void> }> {
  return startOnParts(async (parts) => {
    const rigs: Rig[] = [];
    const missing: MissingRig[] = [];
    for (const [name, start] of RIGS) {
      if (!isWanted(name)) continue;
      const rig = await start(parts);
      if ('missing' in rig) missing.push(rig);
      else rigs.push(rig);
    }
    return { rigs, missing, redisPort: parts.redisPort, providerPid: parts.providerPid };
  });
}

/** The no-op processor behind its own Envoy, over each transport. */
export function startTransports(): Promise<{ readonly rigs: readonly Rig[]; close(): Promise<void> }> {
  return startOnParts(async (parts) => ({
    rigs: [await startOurNoop(parts, 'lean'), await startOurNoop(parts, 'grpc-js')],
  }));
}

/** Requests of a locked key, compared with an Envoy that refuses on its own. */
export function startRejection(): Promise<{
  readonly directResponse: Target;
  readonly quarantined: Target;
  close(): Promise<void>;
}> {
  return startOnParts(async (parts) => {
    const passThrough = await startPassThrough(parts);
    const { rig, quarantinedHeaders } = await startGateway(parts, OURS_CORE, CORE_CHECKS);
    return {
      directResponse: { ...passThrough, path: '/direct' },
      quarantined: { ...rig, headers: quarantinedHeaders },
    };
  });
}
