import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestRedis } from '../support/redis.ts';
import { seededPart, WHOLE } from '../support/seeded-part.ts';
import { createSweepEdge, type SweepEdge } from '../support/turn-sweep/edge.ts';
import type { Place } from '../support/turn-sweep/places.ts';
import { SHAPES } from '../support/turn-sweep/shapes.ts';
import { allPlaces, MAX_TURN_MS, sweepOne } from '../support/turn-sweep/sweep.ts';

/**
 * No request and no answer blocks the event loop, with any content. One of several places is tested with every shape
 * at an eighth of the accepted size, and the worst shapes at full size. `npm test` covers half of these places
 * and shapes, `npm run bench -- sweep` all of them.
 */
const redis = useTestRedis();
let edge: SweepEdge;
/** Policies mask here, and DLP does not. */
let maskingEdge: SweepEdge;

beforeAll(async () => {
  edge = await createSweepEdge(redis.addr);
  maskingEdge = await createSweepEdge(redis.addr, 'policies');
});
afterAll(async () => {
  await edge.close();
  await maskingEdge.close();
});

const EIGHTH = 1 / 8;
/** One of each group of places, every one with another shape: several providers share dialects. */
const EVERY = WHOLE ? 17 : 34;
const PLACES = allPlaces();

async function longestTurn(
  place: Place,
  shape: (typeof SHAPES)[number],
  scale: number,
  swept = edge,
): Promise<string[]> {
  const outcome = await sweepOne(swept, place, shape, scale);
  return outcome === undefined || outcome.longestTurnMs < MAX_TURN_MS
    ? []
    : [`${place.name}, ${shape.name}: ${outcome.longestTurnMs.toFixed(0)} ms`];
}

function placeNamed(start: string): Place {
  const place = PLACES.find(({ name, side }) => `${side} ${name}`.startsWith(start));
  if (place === undefined) throw new Error(`no place ${start}`);
  return place;
}

function shapeNamed(name: string): (typeof SHAPES)[number] {
  const shape = SHAPES.find((one) => one.name === name);
  if (shape === undefined) throw new Error(`no shape ${name}`);
  return shape;
}

describe('no turn of the event loop is long', () => {
  it('with hostile content in any place', { timeout: 300_000 }, async () => {
    const tooLong: string[] = [];
    for (const [at, place] of PLACES.filter(({ only }) => only === undefined).entries()) {
      const shape = SHAPES[at % SHAPES.length];
      if (at % EVERY === 0 && shape !== undefined) tooLong.push(...(await longestTurn(place, shape, EIGHTH)));
    }
    expect(tooLong).toEqual([]);
  });

  it.each([
    'request openai /v1/chat/completions ["messages",2,"content",0,"text"]',
    'stream openai /v1/chat/completions event 0 ["choices",0,"delta","content"]',
  ])('for any shape at full size: %s', { timeout: 300_000 }, async (start) => {
    const place = placeNamed(start);
    const tooLong: string[] = [];
    for (const shape of seededPart(start, SHAPES, 1 / 2))
      tooLong.push(...(await longestTurn(place, shape, EIGHTH)));
    expect(tooLong).toEqual([]);
  });

  it.each(['nested, with blanks at the bottom', 'nested, with long numbers', 'mail addresses, one a text'])(
    'for a whole answer at full size: %s',
    { timeout: 120_000 },
    async (name) => {
      const shape = shapeNamed(name);
      const chat = placeNamed('answer openai /v1/chat/completions ["choices",0,"message","content"]');
      const mcp = placeNamed('answer mcp answer 0 ["result","content",0,"text"]');
      expect([...(await longestTurn(chat, shape, 1)), ...(await longestTurn(mcp, shape, 1))]).toEqual([]);
    },
  );

  it.each(['social security numbers', 'mail addresses', 'access keys', 'escaped slashes', 'backslashes'])(
    'for a whole answer at full size, in an unknown member: %s',
    { timeout: 120_000 },
    async (name) => {
      const place = placeNamed('answer openai /v1/chat/completions ["another_member"]');
      expect(await longestTurn(place, shapeNamed(name), 1)).toEqual([]);
    },
  );

  it.each(['quotes', 'null characters', 'emoji', 'lone surrogates', 'texts of one letter'])(
    'for a whole answer at full size that is rewritten for one mail address, then %s',
    { timeout: 120_000 },
    async (then) => {
      const place = placeNamed('answer openai /v1/chat/completions ["choices",0,"message","content"]');
      expect(await longestTurn(place, shapeNamed(`one mail address, then ${then}`), 1)).toEqual([]);
    },
  );

  it.each([
    ['answer mcp answer 0 ["result","content",0,"text"] at which', 'one secret, then quotes'],
    ['answer mcp answer 0 ["result","content",0,"text"] at which', 'access keys'],
    ['answer mcp answer 1 ["result","contents",0,"blob"]', 'one secret, then one letter'],
    [
      'stream openai /v1/chat/completions event 0 ["choices",0,"delta","content"]',
      'one mail address, then quotes',
    ],
    [
      'request openai /v1/chat/completions ["messages",2,"content",0,"text"]',
      'one mail address, then lone surrogates',
    ],
  ])('for content that is rewritten in another place: %s, %s', { timeout: 120_000 }, async (start, name) => {
    expect(await longestTurn(placeNamed(start), shapeNamed(name), 1)).toEqual([]);
  });

  it.each([
    [
      'stream azure /openai/v1/responses event 9 ["response","output",1,"content",0,"text"]',
      'mail addresses, one a text',
    ],
    ['answer groq /v1/responses ["output",2,"arguments"]', 'mail addresses, one a text'],
    ['request openai /v1/chat/completions ["messages",2,"content",0,"text"]', 'texts of one letter'],
    ['request groq /v1/responses ["tools",2,"type"]', 'one secret, then blanks'],
    ['request groq /v1/chat/completions ["messages",3,"function_call","name"]', 'addresses'],
    ['answer mcp answer 2 ["result","tools",0,"annotations","title"]', 'joined emoji'],
    ['request mcp message 2 ["params","arguments","a"]', 'texts that hide something, one a text'],
    ['request mcp message 4 ["result","role"]', 'escapes, one a text'],
    [
      'answer mcp answer 0 ["result","content",0,"text"] at which the inspector does not stop',
      'attacks, one a text',
    ],
    [
      'answer mcp answer 0 ["result","content",0,"type"] at which the inspector does not stop',
      'attacks, one a text',
    ],
    [
      'answer mcp answer 0 ["result","content",0,"text"]',
      'objects of many members each, all named differently',
    ],
    ['answer mcp answer 0 ["result","content",0,"text"]', 'many members named by mail addresses'],
  ])('for very many small texts: %s, %s', { timeout: 120_000 }, async (start, name) => {
    expect(await longestTurn(placeNamed(start), shapeNamed(name), 1)).toEqual([]);
  });

  it.each([
    ['answer openai /v1/chat/completions ["choices",0,"message","content"]', 'mail addresses, one a text'],
    ['request openai /v1/chat/completions ["messages",2,"content",0,"text"]', 'mail addresses, one a text'],
  ])('for very many small texts that policies mask: %s, %s', { timeout: 120_000 }, async (start, name) => {
    // At a quarter of the size, an unsliced turn takes a hundred milliseconds.
    expect(await longestTurn(placeNamed(start), shapeNamed(name), 1 / 4, maskingEdge)).toEqual([]);
  });

  it.each([
    ['answer openai /v1/chat/completions ["choices",0,"message","content"]', 'a document of numbers in text'],
    [
      'answer openai /v1/chat/completions ["choices",0,"message","tool_calls",0,"function","arguments"]',
      'a document of numbers in text',
    ],
    [
      'stream openai /v1/chat/completions event 6 ["choices",0,"delta","tool_calls",0,"function","arguments"]',
      'nested, with numbers',
    ],
  ])(
    'for a document at full size, in a string or an event: %s, %s',
    { timeout: 120_000 },
    async (start, name) => {
      expect(await longestTurn(placeNamed(start), shapeNamed(name), 1)).toEqual([]);
    },
  );
});
