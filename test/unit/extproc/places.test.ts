import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { createPlaces, placeLimits, type Place, type PlaceLimits } from '../../../src/extproc/places.ts';
import { defaultConfig } from '../../support/default-config.ts';

const limits = (own: Partial<PlaceLimits>): PlaceLimits => ({
  maxPerKey: 100,
  maxPerAddress: 100,
  maxAwaitingBody: 100,
  ...own,
});

/** Returns the thrown error; fails if there was none. */
function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was refused');
}

function refusal(message: RegExp) {
  return {
    type: 'rate_limited',
    message: expect.stringMatching(message) as string,
    headers: { 'retry-after': '1' },
  };
}

describe('places of a key', () => {
  it('are limited, and free again when requests end', () => {
    const places = createPlaces(limits({ maxPerKey: 2 }));
    function open(key: string): Place {
      const place = places.enter('10.0.0.1');
      place.claimKey(key);
      return place;
    }
    const first = open('a');
    open('a');
    expect(thrownBy(() => open('a'))).toMatchObject(refusal(/^this key has too many open requests/));
    open('b');
    first.leave();
    first.leave();
    open('a');
    expect(thrownBy(() => open('a'))).toMatchObject(refusal(/^this key has too many/));
  });

  it('are not taken by a refused request', () => {
    const places = createPlaces(limits({ maxPerKey: 1 }));
    const first = places.enter('10.0.0.1');
    first.claimKey('a');
    const refused = places.enter('10.0.0.1');
    expect(thrownBy(() => refused.claimKey('a'))).toBeInstanceOf(GatewayError);
    refused.leave();
    expect(thrownBy(() => places.enter('10.0.0.1').claimKey('a'))).toBeInstanceOf(GatewayError);
    first.leave();
    places.enter('10.0.0.1').claimKey('a');
  });
});

describe('places of a client address', () => {
  it('are limited across all keys, and free again when requests end', () => {
    const places = createPlaces(limits({ maxPerAddress: 2 }));
    const first = places.enter('10.0.0.1');
    places.enter('10.0.0.1').claimKey('b');
    expect(thrownBy(() => places.enter('10.0.0.1'))).toMatchObject(
      refusal(/^this client address has too many open requests/),
    );
    places.enter('10.0.0.2');
    first.leave();
    places.enter('10.0.0.1');
    expect(thrownBy(() => places.enter('10.0.0.1'))).toBeInstanceOf(GatewayError);
  });

  it('are shared by all addresses of an IPv6 customer', () => {
    const places = createPlaces(limits({ maxPerAddress: 1 }));
    places.enter('2001:db8:1:2::1');
    expect(thrownBy(() => places.enter('2001:db8:1:2:aaaa::2'))).toBeInstanceOf(GatewayError);
    places.enter('2001:db8:1:3::1');
  });
});

describe('requests without their bodies', () => {
  function awaiting(places: ReturnType<typeof createPlaces>, log: string[], name: string): Place {
    const place = places.enter('10.0.0.1');
    place.awaitBody(({ type, message }) => log.push(`${name}: ${type}: ${message}`));
    return place;
  }

  it('lose their places to newer ones, the oldest first', () => {
    const log: string[] = [];
    const places = createPlaces(limits({ maxAwaitingBody: 2 }));
    for (const name of ['a', 'b', 'c', 'd']) awaiting(places, log, name);
    expect(log).toEqual([
      expect.stringMatching(/^a: rate_limited: .*this one has waited longest/),
      expect.stringMatching(/^b: rate_limited/),
    ]);
  });

  it('keep them once their bodies have arrived, or they have left', () => {
    const log: string[] = [];
    const places = createPlaces(limits({ maxAwaitingBody: 1 }));
    awaiting(places, log, 'a').bodyCame();
    awaiting(places, log, 'b').leave();
    awaiting(places, log, 'c');
    expect(log).toEqual([]);
  });
});

it('half of the streams of a worker are for requests whose bodies have arrived', () => {
  const { server } = defaultConfig({ server: { max_open_per_key: 7, max_open_per_address: 8 } });
  expect(placeLimits(server, 20_000)).toEqual({ maxPerKey: 7, maxPerAddress: 8, maxAwaitingBody: 10_000 });
});
