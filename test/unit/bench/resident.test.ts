import { describe, expect, it } from 'vitest';
import { mappingsOf, residentMb, residentOnceMb } from '../../bench/resident.ts';

const SMAPS = `00400000-0200a000 r-xp 00000000 fe:00 1234                               /usr/bin/some program
Rss:                5000 kB
Anonymous:             0 kB
0200b000-0200c000 rw-p 01c0a000 fe:00 1234                               /usr/bin/some program
Rss:                  40 kB
Anonymous:            30 kB
0200c000-0300c000 rw-p 00000000 00:00 0                                  [heap]
Rss:                 700 kB
Anonymous:           700 kB
7f0000000000-7f0000001000 rw-p 00000000 00:00 0
Rss:                   8 kB
Anonymous:             8 kB
`;

describe('resident memory', () => {
  it('distinguishes a process’s private pages from those of files', () => {
    expect(mappingsOf(SMAPS)).toEqual({
      ownKb: 738,
      filesKb: new Map([['/usr/bin/some program', 5010]]),
    });
  });

  it('counts the pages of one program once', () => {
    const [one = 0] = residentMb([process.pid]);
    const once = residentOnceMb([process.pid]);
    expect(once).toBeGreaterThan(one * 0.8);
    expect(once).toBeLessThan(one * 1.2);
    expect(residentOnceMb([process.pid, process.pid])).toBeLessThan(once * 2 - 10);
  });
});
