import { MAX_PINNED_TOOLS, type Pin, type PinState, type PinStore, type ShownTool } from './store.ts';

export function createMemoryPinStore(now: () => number = Date.now): PinStore {
  const servers = new Map<string, Map<string, Pin>>();

  function pinsOf(server: string): Map<string, Pin> {
    const known = servers.get(server) ?? new Map<string, Pin>();
    servers.set(server, known);
    return known;
  }

  function show(pins: Map<string, Pin>, { name, digest }: ShownTool): PinState {
    const pin = pins.get(name);
    if (pin === undefined) {
      const changed = [...pins.values()].filter(({ change }) => change !== undefined).length;
      if (pins.size + changed >= MAX_PINNED_TOOLS) return 'full';
      pins.set(name, { tool: name, digest, pinnedAt: now() });
      return 'new';
    }
    if (pin.digest === digest && pin.change === undefined) return 'same';
    if (pin.change?.digest !== digest) pins.set(name, { ...pin, change: { digest, seenAt: now() } });
    return pin.digest === digest ? 'held' : 'changed';
  }

  return {
    show: (server, tools) => Promise.resolve(tools.map((tool) => show(pinsOf(server), tool))),
    isChanged: (server, tool) => Promise.resolve(pinsOf(server).get(tool)?.change !== undefined),
    list: (server) =>
      Promise.resolve([...pinsOf(server).values()].toSorted((a, b) => (a.tool < b.tool ? -1 : 1))),
    accept(server, acceptable) {
      const pins = pinsOf(server);
      const names = acceptable === undefined ? [...pins.keys()].toSorted() : [acceptable.tool];
      const accepted = names.flatMap((tool) => {
        const digest = pins.get(tool)?.change?.digest;
        if (digest === undefined || !digest.startsWith(acceptable?.digest ?? '')) return [];
        pins.set(tool, { tool, digest, pinnedAt: now() });
        return [{ tool, digest }];
      });
      return Promise.resolve(accepted);
    },
  };
}
