import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { CredentialSettings } from '../../../src/config/sections/credentials.ts';
import { followCredentials } from '../../../src/provider-credentials/follow.ts';

it('a source that must be read again during a read is read a second time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gw-test-read-again-'));
  const reads = join(folder, 'reads');
  const script = `echo read >>'${reads}'; sleep 0.3; echo value`;
  const from = { command: ['sh', '-c', script], ttl: 900_000 } as unknown as CredentialSettings['from'];
  const followed = await followCredentials({
    credentials: { main: { provider: 'openai', from, max_age: 900_000 as CredentialSettings['max_age'] } },
    environment: {},
    onChanged: () => undefined,
    onSource: () => undefined,
    onEnded: () => undefined,
    everyMs: 10,
  });
  const untilReads = (count: number): Promise<void> =>
    vi.waitFor(() => {
      expect(readFileSync(reads, 'utf8').split('\n').length - 1).toBe(count);
    }, 5_000);
  await untilReads(1);
  followed.readAgain('main');
  await untilReads(2);
  followed.readAgain('main');
  await untilReads(3);
  followed.close();
  rmSync(folder, { recursive: true });
});
