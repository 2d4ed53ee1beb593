import { dirname, join } from 'node:path';
import type { PemFiles, PemTexts } from '../certificates/pem.ts';
import { typed, type EnvoyLayout, type EnvoyObject } from './layout.ts';

/** A group's certificate and its CA are separate secrets, each in its own file. */
export interface SecretFile {
  readonly name: string;
  /** Envoy's DiscoveryResponse. */
  readonly content: EnvoyObject;
}

/** Refers to SDS files if `secretsFolder` is set, and to the certificate files otherwise. */
export function tlsContext(
  files: PemFiles,
  { secretsFolder }: Pick<EnvoyLayout, 'secretsFolder'>,
): EnvoyObject {
  const { path, cert_file, key_file, ca_file } = files;
  const hasCertificate = cert_file !== undefined && key_file !== undefined;
  if (secretsFolder === undefined) {
    return {
      ...(hasCertificate && { tls_certificates: [certificateOf(inFiles(cert_file), inFiles(key_file))] }),
      ...(ca_file !== undefined && { validation_context: { trusted_ca: inFiles(ca_file) } }),
    };
  }
  return {
    ...(hasCertificate && {
      tls_certificate_sds_secret_configs: [reference(secretsFolder, certificateName(path))],
    }),
    ...(ca_file !== undefined && {
      validation_context_sds_secret_config: reference(secretsFolder, authorityName(path)),
    }),
  };
}

/** Returns secrets that refer to the certificate files, which Envoy watches. */
export function secretsInFiles({ path, cert_file, key_file, ca_file }: PemFiles): readonly SecretFile[] {
  const secrets: SecretFile[] = [];
  if (cert_file !== undefined && key_file !== undefined) {
    // By default, Envoy watches the folder of each file separately.
    const isSameFolder = dirname(cert_file) === dirname(key_file);
    const watched = isSameFolder && { watched_directory: { path: dirname(cert_file) } };
    const certificate = certificateOf(inFiles(cert_file), inFiles(key_file));
    secrets.push(secret(certificateName(path), { tls_certificate: { ...certificate, ...watched } }));
  }
  if (ca_file !== undefined) {
    const context = { trusted_ca: inFiles(ca_file), watched_directory: { path: dirname(ca_file) } };
    secrets.push(secret(authorityName(path), { validation_context: context }));
  }
  return secrets;
}

/** Returns secrets with the file contents inlined, so that a certificate and its key change together. */
export function secretsWithContent(
  path: string,
  { cert_file, key_file, ca_file }: PemTexts,
): readonly SecretFile[] {
  const secrets: SecretFile[] = [];
  if (cert_file !== undefined && key_file !== undefined) {
    const certificate = certificateOf({ inline_string: cert_file }, { inline_string: key_file });
    secrets.push(secret(certificateName(path), { tls_certificate: certificate }));
  }
  if (ca_file !== undefined)
    secrets.push(
      secret(authorityName(path), { validation_context: { trusted_ca: { inline_string: ca_file } } }),
    );
  return secrets;
}

function reference(folder: string, name: string): EnvoyObject {
  const source = { path: join(folder, fileName(name)), watched_directory: { path: folder } };
  return { name, sds_config: { path_config_source: source, resource_api_version: 'V3' } };
}

export function fileName(name: string): string {
  return `${name}.json`;
}

function secret(name: string, value: EnvoyObject): SecretFile {
  const resource = typed('envoy.extensions.transport_sockets.tls.v3.Secret', { name, ...value });
  return { name, content: { resources: [resource] } };
}

function certificateOf(certificate_chain: EnvoyObject, private_key: EnvoyObject): EnvoyObject {
  return { certificate_chain, private_key };
}

function inFiles(filename: string): EnvoyObject {
  return { filename };
}

function certificateName(path: string): string {
  return path;
}

function authorityName(path: string): string {
  return `${path}.ca`;
}
