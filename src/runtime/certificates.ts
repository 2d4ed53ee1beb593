import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { envoyPemFiles, UI_TLS } from '../certificates/files.ts';
import type { PemTexts } from '../certificates/pem.ts';
import { followCertificates, type FollowedCertificates } from '../certificates/follow.ts';
import type { Config } from '../config/schema.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ListenerTls } from '../operator/listener.ts';
import type { RunDirectory } from './run-directory.ts';
import type { ExtprocTls } from './worker-protocol.ts';
import { fileName, secretsWithContent } from '../envoy/secrets.ts';

export interface Certificates extends Pick<FollowedCertificates, 'states' | 'close'> {
  /** Folder of Envoy's SDS files; undefined if Envoy is not managed and reads the certificate files itself. */
  readonly secretsFolder: string | undefined;
  extprocTls(): ExtprocTls | undefined;
  uiTls(): ListenerTls | undefined;
}

export interface CertificatesOptions {
  readonly config: Config;
  readonly run: RunDirectory;
  readonly log: Logger;
  readonly onExtprocTls: (tls: ExtprocTls) => void;
  readonly onUiTls: (tls: ListenerTls) => void;
}

/** Follows the certificate files, and passes renewed ones to Envoy, the workers and the operator page. */
export async function startCertificates(options: CertificatesOptions): Promise<Certificates> {
  const { config, run, log } = options;
  const secrets = config.envoy.managed ? await createEnvoySecrets(run.file('tls')) : undefined;
  const forEnvoy = new Set(envoyPemFiles(config).map(({ path }) => path));
  async function publish(path: string, texts: PemTexts): Promise<void> {
    if (forEnvoy.has(path)) await secrets?.publish(path, texts);
  }
  const followed = await followCertificates({
    config,
    onRenewed: async (path, texts) => {
      await publish(path, texts);
      const tls = path === EXTPROC ? extprocTlsOf(texts) : undefined;
      if (tls !== undefined) options.onExtprocTls(tls);
      const ofPage = path === UI_TLS ? listenerTlsOf(texts) : undefined;
      if (ofPage !== undefined) options.onUiTls(ofPage);
      log.info({ certificate: path }, 'renewed certificates are in effect');
    },
    onBroken: (path, problems) => {
      for (const { key, message } of problems) {
        log.error(
          { certificate: `${path}.${key}`, cause: message },
          'a renewed certificate cannot be used: the previous one stays in effect',
        );
      }
    },
  });
  for (const path of followed.paths) await publish(path, followed.texts(path) ?? {});
  return {
    states: () => followed.states(),
    close: () => {
      followed.close();
    },
    secretsFolder: secrets?.folder,
    extprocTls: () => extprocTlsOf(followed.texts(EXTPROC) ?? {}),
    uiTls: () => listenerTlsOf(followed.texts(UI_TLS) ?? {}),
  };
}

const EXTPROC = 'server.extproc.tls';

function extprocTlsOf({
  cert_file: cert,
  key_file: key,
  ca_file: clientCa,
}: PemTexts): ExtprocTls | undefined {
  if (cert === undefined || key === undefined || clientCa === undefined) return undefined;
  return { cert, key, clientCa };
}

function listenerTlsOf({ cert_file: cert, key_file: key }: PemTexts): ListenerTls | undefined {
  return cert === undefined || key === undefined ? undefined : { cert, key };
}

interface EnvoySecrets {
  readonly folder: string;
  publish(path: string, texts: PemTexts): Promise<void>;
}

async function createEnvoySecrets(folder: string): Promise<EnvoySecrets> {
  await mkdir(folder, { mode: 0o700 });
  return {
    folder,
    publish: async (path, texts) => {
      for (const { name, content } of secretsWithContent(path, texts)) {
        const file = join(folder, fileName(name));
        const next = `${file}.next`;
        await writeFile(next, JSON.stringify(content), { mode: 0o600 });
        // Renaming prevents Envoy from reading a partial file.
        await rename(next, file);
      }
    },
  };
}
