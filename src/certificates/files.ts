import type { Config } from '../config/schema.ts';
import { PEM_KEYS, type PemFiles } from './pem.ts';

const REDIS_TLS = 'redis.tls';
export const UI_TLS = 'ui.tls';
const AUDIT_OTLP = 'audit.otlp';
const AUDIT_SYSLOG = 'audit.syslog';
const NOT_ENVOYS: ReadonlySet<string> = new Set([REDIS_TLS, UI_TLS, AUDIT_OTLP, AUDIT_SYSLOG]);

export function pemFiles({ server, redis, providers, audit, ui }: Config): readonly PemFiles[] {
  const groups: PemFiles[] = [
    { path: 'server.tls', ...server.tls },
    { path: 'server.extproc.tls', ...server.extproc.tls },
    { path: REDIS_TLS, ...redis.tls },
    { path: AUDIT_OTLP, ...audit.otlp },
    { path: AUDIT_SYSLOG, ...audit.syslog },
    ...(ui.enabled ? [{ path: UI_TLS, ...ui.tls }] : []),
    ...Object.entries(providers).map(([name, { ca_file }]) => ({ path: `providers.${name}`, ca_file })),
  ];
  return groups.filter((group) => PEM_KEYS.some((key) => group[key] !== undefined));
}

export function envoyPemFiles(config: Config): readonly PemFiles[] {
  return pemFiles(config).filter(({ path }) => !NOT_ENVOYS.has(path));
}

/** Returns the configuration key and path of each file with certificates. */
export function certificateFiles(config: Config): (readonly [key: string, file: string])[] {
  return pemFiles(config).flatMap((group) =>
    (['cert_file', 'ca_file'] as const).flatMap((key) => {
      const file = group[key];
      return file === undefined ? [] : [[`${group.path}.${key}`, file] as const];
    }),
  );
}
