import { readFile } from 'node:fs/promises';
import type { Config } from '../config/schema.ts';
import { messageOf } from '../errors.ts';
import { poll } from '../poll.ts';
import { pemFiles } from './files.ts';
import {
  PEM_KEYS,
  type PemFiles,
  type PemKey,
  firstToEnd,
  parseCertificates,
  pemProblems,
  type PemProblem,
  type PemTexts,
} from './pem.ts';

/** By configuration key. */
export type CertificateStates = ReadonlyMap<string, CertificateState>;

export interface CertificateState {
  /** Earliest expiry of the certificates in effect, in Unix seconds. */
  readonly end: number;
  /** Whether the file on disk cannot be used; the previous certificate then stays in effect. */
  readonly broken: boolean;
}

/** The certificates and keys in effect, which are the newest usable ones. */
export interface FollowedCertificates {
  /** Returns the contents of a group such as `server.tls`, or undefined if the group has no files. */
  texts(path: string): PemTexts | undefined;
  readonly paths: readonly string[];
  states(): CertificateStates;
  close(): void;
}

export interface FollowOptions {
  readonly config: Config;
  /** Called before a renewed group is in effect. If it rejects, the previous contents stay in effect. */
  readonly onRenewed: (path: string, texts: PemTexts) => Promise<void> | void;
  /** Called once for each unusable version of the files. */
  readonly onBroken: (path: string, problems: readonly PemProblem[]) => void;
  readonly everyMs?: number;
}

const EVERY_MS = 1_000;

/**
 * Reads all certificate and key files, and follows them while the gateway runs.
 * @throws Error if a file cannot be used at start
 */
export async function followCertificates(options: FollowOptions): Promise<FollowedCertificates> {
  const groups = await Promise.all(pemFiles(options.config).map((files) => followGroup(files, options)));
  const polling = poll(async () => {
    for (const group of groups) await group.look();
  }, options.everyMs ?? EVERY_MS);
  const byPath = new Map(groups.map((group) => [group.path, group]));
  return {
    texts: (path) => byPath.get(path)?.texts(),
    paths: [...byPath.keys()],
    states: () => new Map(groups.flatMap((group) => group.states())),
    close: polling.close,
  };
}

interface Group {
  readonly path: string;
  texts(): PemTexts;
  states(): (readonly [key: string, state: CertificateState])[];
  look(): Promise<void>;
}

async function followGroup(files: PemFiles, { onRenewed, onBroken }: FollowOptions): Promise<Group> {
  let inForce = await readTexts(files);
  let brokenKeys: ReadonlySet<PemKey> = new Set();
  let seen = inForce;
  let reported: PemTexts | undefined;
  const [first] = pemProblems(files, inForce);
  if (first !== undefined) throw new Error(`${files.path}.${first.key} ${first.message}`);

  async function look(): Promise<void> {
    const now = await readTexts(files);
    const isStable = isSame(now, seen);
    seen = now;
    const problems = isSame(now, inForce) ? [] : await adopt(now);
    if (problems.length === 0) {
      brokenKeys = new Set();
      reported = undefined;
      // A problem is reported only if it persists until the next check, because certificate and key are replaced one
      // after the other.
    } else if (isStable && (reported === undefined || !isSame(now, reported))) {
      brokenKeys = new Set(problems.map(({ key }) => key));
      reported = now;
      onBroken(files.path, problems);
    }
  }

  /** Activates contents, or returns the reasons why they cannot be used. */
  async function adopt(texts: PemTexts): Promise<readonly PemProblem[]> {
    const problems = pemProblems(files, texts);
    if (problems.length > 0) return problems;
    try {
      await onRenewed(files.path, texts);
    } catch (cause) {
      return [{ key: 'cert_file', message: `cannot be used: ${messageOf(cause)}` }];
    }
    inForce = texts;
    return [];
  }

  return {
    path: files.path,
    texts: () => inForce,
    states: () =>
      (['cert_file', 'ca_file'] as const).flatMap((key) => {
        const pem = inForce[key];
        if (pem === undefined) return [];
        const broken = brokenKeys.has(key) || (key === 'cert_file' && brokenKeys.has('key_file'));
        return [[`${files.path}.${key}`, { end: endOf(pem), broken }] as const];
      }),
    look,
  };
}

function isSame(one: PemTexts, other: PemTexts): boolean {
  return PEM_KEYS.every((key) => one[key] === other[key]);
}

async function readTexts(files: PemFiles): Promise<PemTexts> {
  const read = PEM_KEYS.map(async (key) => {
    const file = files[key];
    const text = file === undefined ? undefined : await readFile(file, 'utf8').catch(() => undefined);
    return text === undefined ? [] : [[key, text] as const];
  });
  return Object.fromEntries((await Promise.all(read)).flat());
}

function endOf(pem: string): number {
  const first = firstToEnd(parseCertificates(pem));
  return first === undefined ? 0 : Date.parse(first.validTo) / 1_000;
}
