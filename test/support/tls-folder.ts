import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { Identity } from './certs.ts';

type Files = Readonly<Record<string, string>>;

/** A folder of PEM files that is renewed in one of the ways used by operators. */
export class TlsFolder {
  readonly path: string;
  #versions = 0;

  /** @param path of the folder to create */
  constructor(path: string, files: Files) {
    this.path = path;
    mkdirSync(path);
    this.swap(files);
    for (const file of Object.keys(files)) symlinkSync(`..data/${file}`, this.file(file));
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Replaces all files at once through a symbolic link, as Kubernetes does. */
  swap(files: Files): void {
    this.#versions += 1;
    const version = `..version-${String(this.#versions)}`;
    mkdirSync(this.file(version));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.file(version), name), text);
    symlinkSync(version, this.file('..data_tmp'));
    renameSync(this.file('..data_tmp'), this.file('..data'));
  }

  /** Replaces one file after another, as certbot and most scripts do. */
  rename(files: Files): void {
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(this.file('next'), text);
      renameSync(this.file('next'), this.file(name));
    }
  }
}

export const pair = ({ cert, key }: Identity): Files => ({ 'tls.crt': cert, 'tls.key': key });

/** Returns the serial number of a server's certificate. */
export async function serialAt(
  port: number,
  client: Partial<Pick<Identity, 'cert' | 'key'>> = {},
): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ...client, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

export const serialOf = ({ cert }: Identity): string => new X509Certificate(cert).serialNumber;
