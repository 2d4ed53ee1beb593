import { describe, expect, it } from 'vitest';
import { bedrockInvoke } from '../../../../src/providers/dialects/bedrock-invoke.ts';
import type { StreamEvent } from '../../../../src/providers/dialect.ts';
import { OPENAI_ROWS } from './openai-rows.ts';
import { OWN_DIALECT_ROWS } from './own-dialect-rows.ts';
import { valueAt } from '../../../support/request-facts.ts';

function frameOf(frame: unknown): { raw: Buffer; data: string; event?: string } {
  const named = typeof frame === 'object' && frame !== null && 'payload' in frame;
  const { event, payload } = named
    ? (frame as { event?: string; payload: unknown })
    : { event: undefined, payload: frame };
  const data = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return { raw: Buffer.alloc(0), data, ...(event !== undefined && { event }) };
}

function saidBy({ deltas }: StreamEvent): string[] {
  return deltas.map(({ channel, text, isJson, signed, joins, repeats }) => {
    const marks = [isJson && 'J', signed && 'S', joins && `+${joins}`, repeats && 'R'].filter(Boolean);
    return `${[channel, ...marks].join(' ')}: ${text}`;
  });
}

describe('the meaning of frames', () => {
  it.each([...OPENAI_ROWS, ...OWN_DIALECT_ROWS])('$name', ({ reader: create, frames }) => {
    const reader = create();
    for (const [frame, said, ends = []] of frames) {
      const event = reader?.read(frameOf(frame));
      if (event === undefined) throw new Error('this dialect does not stream');
      expect({ frame, said: saidBy(event), ends: event.ends ?? [] }).toEqual({ frame, said, ends });
      for (const { path, text } of event.deltas) expect(valueAt(event.json, path)).toBe(text);
    }
  });
});

describe('documents inside frames', () => {
  const inner = JSON.stringify({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'thinking_delta', thinking: 'hm' },
  });
  const bytes = Buffer.from(inner).toString('base64');
  const read = (data: string): StreamEvent | undefined =>
    bedrockInvoke('anthropic.claude-3-x', true)
      ?.stream()
      ?.read({ raw: Buffer.alloc(0), event: 'chunk', data });

  it('are the targets of paths', () => {
    const event = read(`{"bytes":"${bytes}","p":"abc"}`);
    expect(event?.deltas).toEqual([
      {
        channel: '0/reasoning/0',
        kind: 'reasoning',
        text: 'hm',
        path: ['delta', 'thinking'],
        signed: true,
        joins: 'reasoning',
      },
    ]);
    expect(event?.json).toEqual(JSON.parse(inner));
    expect(event?.frame.data).toBe(`{"bytes":"${bytes}","p":"abc"}`);
    expect(event?.inner?.pack('{}')).toBe('{"bytes":"e30=","p":"abc"}');
  });

  it.each([
    ['other members', `{"bytes":"${bytes}","note":"hidden"}`],
    ['padding with other characters', `{"bytes":"${bytes}","p":"a-b"}`],
    ['another document first', `{"bytes":"e30=","bytes":"${bytes}"}`],
    ['bytes that are not Base64', `{"bytes":"${bytes.slice(0, 4)}!${bytes.slice(4)}"}`],
  ])('are forwarded without other members: %s', (_, data) => {
    expect(read(data)?.frame.data).toBe(`{"bytes":"${bytes}"}`);
  });
});
