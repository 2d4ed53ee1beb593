/** The rendered Envoy's surroundings; everything else follows from gateway.yaml. */
export interface EnvoyLayout {
  /** One endpoint per worker process. */
  readonly sidecars: readonly SidecarAddress[];
  /** Unix socket of Envoy's admin interface, in a private directory. */
  readonly adminSocketPath: string;
  /** The system's CA bundle, PEM; verifies providers that have no `ca_file`. */
  readonly systemCaFile: string;
  readonly accessLogPath: string;
  /** Folder of the certificates' SDS files. Without it, Envoy reads certificates once, at its start. */
  readonly secretsFolder?: string | undefined;
}

export type SidecarAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/** A piece of Envoy configuration, in the form of its JSON/YAML API. */
export type EnvoyObject = { readonly [name: string]: EnvoyValue };
export type EnvoyValue = string | number | boolean | EnvoyObject | readonly EnvoyValue[];

/** Returns an extension's typed configuration. */
export function typed(type: string, fields: EnvoyObject = {}): EnvoyObject {
  return { '@type': `type.googleapis.com/${type}`, ...fields };
}

/** Formats milliseconds as Envoy's duration, such as `2.5s`. */
export function seconds(ms: number): string {
  return `${ms / 1000}s`;
}
