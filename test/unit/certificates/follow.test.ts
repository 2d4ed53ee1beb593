import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { followCertificates, type FollowedCertificates } from '../../../src/certificates/follow.ts';
import { createTestCa, type Identity, type TestCa } from '../../support/certs.ts';
import { defaultConfig } from '../../support/default-config.ts';

const DAY_MS = 86_400_000;
/** Certificates have whole seconds. */
const START_MS = Math.floor(Date.now() / 1_000) * 1_000;

let ca: TestCa;
let short: Identity;
let long: Identity;
beforeAll(async () => {
  ca = await createTestCa();
  short = await endingAfter(5);
  long = await endingAfter(300);
});
afterAll(() => ca.close());

function endingAfter(days: number): Promise<Identity> {
  return ca.issue(`days-${String(days)}`, ['localhost'], { from: START_MS, until: START_MS + days * DAY_MS });
}

let folder: string;
let followed: FollowedCertificates | undefined;
let events: string[];
let refusesRenewal: boolean;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gw-test-follow-'));
  events = [];
  refusesRenewal = false;
});
afterEach(() => {
  followed?.close();
  followed = undefined;
  rmSync(folder, { recursive: true, force: true });
});

const certFile = (): string => join(folder, 'tls.crt');
const keyFile = (): string => join(folder, 'tls.key');

async function follow(): Promise<FollowedCertificates> {
  followed = await followCertificates({
    config: defaultConfig({ server: { tls: { cert_file: certFile(), key_file: keyFile() } } }),
    onRenewed: (path) => {
      if (refusesRenewal) throw new Error('no space left');
      events.push(`renewed ${path}`);
    },
    onBroken: (path, problems) => {
      events.push(...problems.map(({ key, message }) => `broken ${path}.${key} ${message}`));
    },
    everyMs: 20,
  });
  return followed;
}

function put({ cert, key }: Pick<Identity, 'cert' | 'key'>): void {
  writeFileSync(certFile(), cert);
  writeFileSync(keyFile(), key);
}

function state(): { days: number; broken: boolean } | undefined {
  const found = followed?.states().get('server.tls.cert_file');
  return found && { days: (found.end * 1_000 - START_MS) / DAY_MS, broken: found.broken };
}

describe('a followed certificate', () => {
  it('is replaced by a new file, and the state follows', async () => {
    put(short);
    const { texts } = await follow();
    expect(state()).toEqual({ days: 5, broken: false });
    put(long);
    await expect.poll(state).toEqual({ days: 300, broken: false });
    expect(texts('server.tls')).toEqual({ cert_file: long.cert, key_file: long.key });
    expect(events).toEqual(['renewed server.tls']);
  });

  it('is replaced by the swap of a symbolic link, as in Kubernetes', async () => {
    function version(name: string, { cert, key }: Identity): void {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'tls.crt'), cert);
      writeFileSync(join(folder, name, 'tls.key'), key);
      symlinkSync(name, join(folder, '..data_tmp'));
      renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    }
    version('1', short);
    for (const file of ['tls.crt', 'tls.key']) symlinkSync(`..data/${file}`, join(folder, file));
    await follow();
    version('2', long);
    await expect.poll(state).toEqual({ days: 300, broken: false });
    expect(events).toEqual(['renewed server.tls']);
  });

  it('stays in effect while its files are unusable, and each such content is reported once', async () => {
    put(short);
    const { texts } = await follow();
    copyFileSync(long.keyFile, keyFile());
    const mismatch = 'broken server.tls.key_file is not the key of the first certificate in cert_file';
    await expect.poll(() => events).toEqual([mismatch]);
    expect(state()).toEqual({ days: 5, broken: true });
    writeFileSync(certFile(), 'not PEM');
    const noPem = 'broken server.tls.cert_file is not PEM: the file contains no certificate';
    await expect.poll(() => events).toEqual([mismatch, noPem]);
    rmSync(certFile());
    const gone = 'broken server.tls.cert_file names a file that is missing or cannot be read';
    await expect.poll(() => events).toEqual([mismatch, noPem, gone]);
    expect(texts('server.tls')).toEqual({ cert_file: short.cert, key_file: short.key });
    put(long);
    await expect.poll(state).toEqual({ days: 300, broken: false });
    expect(events.slice(3)).toEqual(['renewed server.tls']);
  });

  it('stays in effect while a renewed one cannot be passed on, which is retried', async () => {
    put(short);
    await follow();
    refusesRenewal = true;
    put(long);
    await expect.poll(state).toEqual({ days: 5, broken: true });
    expect(events).toEqual(['broken server.tls.cert_file cannot be used: no space left']);
    refusesRenewal = false;
    await expect.poll(state).toEqual({ days: 300, broken: false });
  });
});

it('is refused at the start if it is unusable', async () => {
  put({ cert: short.cert, key: long.key });
  await expect(follow()).rejects.toThrow(
    'server.tls.key_file is not the key of the first certificate in cert_file',
  );
});
