import { readFileSync } from 'node:fs';
import { residentBytes } from '../support/memory.ts';

/** A mapping's first line: `start-end permissions offset device inode path`. */
const MAPPING = /^[\da-f]+-[\da-f]+ \S+ \S+ \S+ (\d+) +(.*)$/;
const SIZE = /^(Rss|Anonymous): +(\d+) kB$/;

/** Resident megabytes of all processes, with shared pages counted in each. */
export function residentMb(pids: readonly number[]): readonly number[] {
  return pids.map((pid) => residentBytes(pid) / 1e6);
}

/**
 * Megabytes of all processes with each page counted once, as a container is charged: the private pages of each process, and
 * of each mapped file, such as the program itself, the maximum over the processes.
 */
export function residentOnceMb(pids: readonly number[]): number {
  const files = new Map<string, number>();
  let own = 0;
  for (const pid of pids) {
    const { ownKb, filesKb } = mappingsOf(readFileSync(`/proc/${String(pid)}/smaps`, 'utf8'));
    own += ownKb;
    for (const [path, kb] of filesKb) files.set(path, Math.max(files.get(path) ?? 0, kb));
  }
  return ([...files.values()].reduce((sum, kb) => sum + kb, own) * 1024) / 1e6;
}

/** The contents of `/proc/<pid>/smaps` for one process. */
export function mappingsOf(smaps: string): {
  readonly ownKb: number;
  readonly filesKb: ReadonlyMap<string, number>;
} {
  const filesKb = new Map<string, number>();
  let ownKb = 0;
  let file: string | undefined;
  for (const line of smaps.split('\n')) {
    const mapping = MAPPING.exec(line);
    if (mapping) file = mapping[1] === '0' ? undefined : mapping[2];
    const [, what, kilobytes] = SIZE.exec(line) ?? [];
    if (what === undefined) continue;
    const kb = Number(kilobytes);
    // A modified page of a file is the process's own; `Rss` has both.
    if (what === 'Anonymous') ownKb += kb;
    if (file !== undefined) filesKb.set(file, (filesKb.get(file) ?? 0) + (what === 'Rss' ? kb : -kb));
  }
  return { ownKb, filesKb };
}
