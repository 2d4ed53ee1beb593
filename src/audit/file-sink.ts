import { open, stat, type FileHandle } from 'node:fs/promises';

const CHECK_AFTER_MS = 1_000;
const OWNER_ONLY = 0o600;

/** Appends whole lines to a file that other processes may also append to. */
export interface FileSink {
  /** @throws Error from the file system. The next write first ends a partially written line */
  write(lines: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens or creates `path` (mode 0600). After the file is renamed or removed, writes reopen it within a second, so that
 * log rotation needs no signal. After truncation in place, writing continues at the new end.
 */
export async function openFileSink(path: string, now: () => number = Date.now): Promise<FileSink> {
  let file = await append(path);
  let checkedAt = now();
  let isTorn = false;

  async function current(): Promise<FileHandle> {
    if (now() - checkedAt < CHECK_AFTER_MS) return file;
    checkedAt = now();
    if (await isSameFile(file, path)) return file;
    const fresh = await append(path);
    const old = file;
    file = fresh;
    isTorn = false;
    await old.close();
    return file;
  }

  return {
    async write(lines) {
      const target = await current();
      const bytes = Buffer.from(`${isTorn ? '\n' : ''}${lines.join('\n')}\n`);
      isTorn = true;
      for (let at = 0; at < bytes.length;) at += (await target.write(bytes, at)).bytesWritten;
      isTorn = false;
    },
    close: () => file.close(),
  };
}

function append(path: string): Promise<FileHandle> {
  return open(path, 'a', OWNER_ONLY);
}

async function isSameFile(file: FileHandle, path: string): Promise<boolean> {
  try {
    const [opened, atPath] = await Promise.all([file.stat(), stat(path)]);
    return opened.ino === atPath.ino && opened.dev === atPath.dev;
  } catch (failure) {
    if (failure instanceof Error && 'code' in failure && failure.code === 'ENOENT') return false;
    throw failure;
  }
}
