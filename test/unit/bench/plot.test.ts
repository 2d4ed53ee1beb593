import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { plotRun } from '../../bench/plot.ts';

const directory = mkdtempSync(join(tmpdir(), 'gw-plot-'));
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function written(run: object): string {
  const file = join(directory, 'run.json');
  writeFileSync(file, JSON.stringify(run));
  return file;
}

describe('plots of a run', () => {
  it('show cost over size and over turns, a line a rig', () => {
    const cost = ['a', 'b'].flatMap((name) => [
      { name, promptBytes: 1_024, cpu: 0.3 },
      { name, promptBytes: 1_048_576, cpu: 30 },
    ]);
    const turns = Array.from({ length: 40 }, (_, at) => ({ name: 'a', turn: at + 1, cpuMs: at }));
    const file = written({ cost: { rows: cost }, histories: { rows: turns } });
    const [size = '', turn = ''] = plotRun(file, directory).map((path) => readFileSync(path, 'utf8'));
    expect(size.match(/<polyline/g)).toHaveLength(2);
    expect(size).toContain('>1 MB<');
    expect(turn.match(/<polyline/g)).toHaveLength(1);
    expect(turn).toContain('>40<');
  });

  it('explain how to make a complete run if the file has none', () => {
    expect(() => plotRun(written({ cost: { rows: [] } }), directory)).toThrow(/npm run bench -- all --json/);
  });
});
