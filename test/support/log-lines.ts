import { vi } from 'vitest';

import type { TestGateway } from './gateway.ts';

type Line = Readonly<Record<string, unknown>>;

/** Waits for the last line of a gateway's log that has all of `parts`: a line may arrive after its answer. */
export function loggedLine(gateway: Pick<TestGateway, 'logs'>, ...parts: readonly string[]): Promise<Line> {
  return vi.waitFor(() => {
    const lines = gateway.logs().split('\n');
    const line = lines.findLast((one) => parts.every((part) => one.includes(part)));
    if (line === undefined) throw new Error(`no line of the log has ${parts.join(' and ')}`);
    return JSON.parse(line) as Line;
  });
}
