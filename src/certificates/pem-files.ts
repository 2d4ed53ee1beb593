/** The PEM files of one group of settings: a certificate with its key, an authority, or all three. */
export interface PemFiles {
  /** Dotted path of the group: `server.tls`, `providers.openai`. */
  readonly path: string;
  readonly cert_file?: string | undefined;
  readonly key_file?: string | undefined;
  readonly ca_file?: string | undefined;
}

export type PemKey = 'cert_file' | 'key_file' | 'ca_file';

export const PEM_KEYS: readonly PemKey[] = ['cert_file', 'key_file', 'ca_file'];
