/** Surroundings of Envoy. Everything else is derived from gateway.yaml. */
export interface EnvoyLayout {
  readonly sidecars: readonly SidecarAddress[];
  /** In a private directory. */
  readonly adminSocketPath: string;
  /** CA bundle of the system, for providers without a `ca_file`. */
  readonly systemCaFile: string;
  readonly accessLogPath: string;
  /** Folder of the SDS files of certificates. Without it, Envoy reads certificates only once, at start. */
  readonly secretsFolder?: string | undefined;
}

export type SidecarAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

export type EnvoyObject = { readonly [name: string]: EnvoyValue };
export type EnvoyValue = string | number | boolean | EnvoyObject | readonly EnvoyValue[];

export function typed(type: string, fields: EnvoyObject = {}): EnvoyObject {
  return { '@type': `type.googleapis.com/${type}`, ...fields };
}

/** Formats milliseconds as Envoy's duration, such as `2.5s`. */
export function seconds(ms: number): string {
  return `${ms / 1000}s`;
}
