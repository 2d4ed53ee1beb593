import { freePort, portIsFree } from '../../src/runtime/free-port.ts';

export { freePort } from '../../src/runtime/free-port.ts';

/** The first of `count` free ports in a row. */
export async function freePortRow(count: number): Promise<number> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const first = await freePort();
    const rest = Array.from({ length: count - 1 }, (_, index) => portIsFree('127.0.0.1', first + 1 + index));
    if ((await Promise.all(rest)).every((free) => free)) return first;
  }
  throw new Error(`no ${String(count)} free ports in a row`);
}
