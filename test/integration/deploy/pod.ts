import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

export function one(manifests: readonly Manifest[], kind: string, suffix = ''): Manifest {
  const found = manifests.find(({ kind: own, metadata }) => own === kind && metadata.name.endsWith(suffix));
  if (found === undefined) throw new Error(`no ${kind} ${suffix}`);
  return found;
}

type Files = Readonly<Record<string, string>>;

export const podSpec = z.object({
  template: z.object({
    metadata: z.object({ labels: z.record(z.string(), z.string()) }),
    spec: z.object({
      containers: z.array(
        z.object({
          name: z.string(),
          env: z
            .array(
              z.object({
                name: z.string(),
                value: z.string().optional(),
                valueFrom: z
                  .object({ secretKeyRef: z.object({ key: z.string(), optional: z.boolean().optional() }) })
                  .optional(),
              }),
            )
            .default([]),
          volumeMounts: z.array(
            z.object({ name: z.string(), mountPath: z.string(), subPath: z.string().optional() }),
          ),
        }),
      ),
      volumes: z.array(
        z.object({
          name: z.string(),
          secret: z.object({}).optional(),
          configMap: z.object({ name: z.string() }).optional(),
        }),
      ),
    }),
  }),
});
type Volume = z.infer<typeof podSpec>['template']['spec']['volumes'][number];

export interface Pod {
  readonly home: string;
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Lays out the files and variables of the sidecar's container in a folder instead of the root; every secret has the same files. */
export function layPod(manifests: readonly Manifest[], home: string, secrets: Files): Pod {
  const { containers, volumes } = podSpec.parse(one(manifests, 'Deployment').spec).template.spec;
  const sidecar = containers.find(({ name }) => name === 'sidecar');
  for (const { name, mountPath, subPath } of sidecar?.volumeMounts ?? []) {
    const path = join(home, mountPath);
    const files = filesOf(
      volumes.find((volume) => volume.name === name),
      manifests,
      secrets,
    );
    mkdirSync(subPath === undefined ? path : dirname(path), { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      if (subPath === undefined) writeFileSync(join(path, file), text);
      else if (subPath === file) writeFileSync(path, text.replaceAll(/\/(etc|run)\/gateway\b/g, `${home}$&`));
    }
  }
  const env = sidecar?.env.map(({ name, value, valueFrom }) => [name, value ?? secretValue(valueFrom)]);
  return {
    home,
    config: join(home, 'etc/gateway/gateway.yaml'),
    env: Object.fromEntries((env ?? []).filter(([, value]) => value !== undefined)) as Record<string, string>,
  };
}

/** Optional secrets are omitted, which proves that the configuration works without them. */
function secretValue(
  from: { secretKeyRef: { key: string; optional?: boolean | undefined } } | undefined,
): string | undefined {
  if (from === undefined || from.secretKeyRef.optional === true) return undefined;
  return from.secretKeyRef.key === 'addr' ? 'redis.internal:6379' : 'a secret of thirty-two characters';
}

function filesOf(volume: Volume | undefined, manifests: readonly Manifest[], secrets: Files): Files {
  if (volume?.secret !== undefined) return secrets;
  const map = manifests.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === volume?.configMap?.name,
  );
  return map?.data ?? {};
}
