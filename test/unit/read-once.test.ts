import { describe, expect, it } from 'vitest';
import { contextReadings } from '../../src/policy/context-readings.ts';
import {
  findsNothing,
  findsNothingInSlices,
  noteNothing,
  noteNothingInSlices,
} from '../../src/detectors/found-nothing.ts';
import { cleanRecord } from '../../src/clean-texts.ts';
import { normalizeKnown } from '../../src/normalize/known.ts';
import { createMasksOf } from '../../src/policy/masking/masks.ts';
import { parsed } from '../support/exchange.ts';
import { llmCall } from '../support/policy-call.ts';
import { denyingRule, isDenied } from '../support/policy-cards.ts';
import { dlp, EMAIL } from './checks/dlp/rig.ts';
import { detects, rule } from './checks/policy-mask/rig.ts';

/** A text that is long enough to be known again, and that no other test has. */
const prose = (nth: number): string =>
  `An egg boils for ${String(nth)} minutes in a pot of water. `.repeat(8);

describe('a text in which data-loss prevention has found nothing', () => {
  const DETECTORS = ['secrets', 'email', 'card', 'ssn', 'phone', 'network'] as const;

  async function knownAfter(text: string, settings: Parameters<typeof dlp>[0] = {}): Promise<string[]> {
    const { check } = dlp({ requests: 'mask', ...settings });
    await check.requestBody?.(
      parsed({ body: { model: 'm', messages: [{ role: 'user', content: text }] } }),
      undefined,
    );
    return DETECTORS.filter((detector) => findsNothing(cleanRecord(text), detector));
  }

  it('is known to later checks', async () => {
    expect(await knownAfter(prose(1))).toEqual(DETECTORS);
  });

  it('is known if policies search whole texts', async () => {
    expect(await knownAfter(prose(7).repeat(80))).toEqual(DETECTORS);
  });

  it('is not known if fewer classes were searched for', async () => {
    expect(await knownAfter(prose(2), { allowed_hosts: ['example.org'] })).not.toContain('email');
    expect(await knownAfter(prose(3), { scan_pii: false })).toEqual(['secrets', 'network']);
    expect(await knownAfter(prose(4), { scan_secrets: false, scan_network: false })).not.toContain('secrets');
  });

  it('is not known if something was found, or if the text is sliced', async () => {
    expect(await knownAfter(`${prose(5)} ${EMAIL}`)).toEqual([]);
    expect(await knownAfter(prose(6).repeat(120))).toEqual([]);
  });
});

describe('a detector that has found nothing in a text', () => {
  async function noted(text: string): Promise<string> {
    await normalizeKnown([text]);
    noteNothing(text, cleanRecord(text), 'email');
    return text;
  }

  it('is not searched again by rules that judge', async () => {
    const set = denyingRule([{ field: 'prompt_text', op: 'detects', value: 'email' }]);
    expect(await isDenied(set, llmCall(`${prose(10)} ${EMAIL}`))).toBe(true);
    expect(await isDenied(set, llmCall(await noted(`${prose(11)} ${EMAIL}`)))).toBe(false);
    // Another detector is.
    const other = denyingRule([{ field: 'prompt_text', op: 'detects', value: 'phone' }]);
    expect(await isDenied(other, llmCall(await noted(`${prose(12)} +1 212 555 0187`)))).toBe(true);
  });

  it('is not searched again by rules that mask, unless they search for more', async () => {
    async function finds(text: string, ...patterns: Parameters<typeof detects>[0][]): Promise<number> {
      const masks = createMasksOf()([rule('r', ...patterns.map((detector) => detects(detector)))]);
      const [found] = (await masks?.data?.findAll([text])) ?? [];
      return found?.findings.length ?? -1;
    }
    expect(await finds(`${prose(20)} ${EMAIL}`, 'email')).toBe(1);
    expect(await finds(await noted(`${prose(21)} ${EMAIL}`), 'email')).toBe(0);
    expect(await finds(await noted(`${prose(22)} ${EMAIL}`), 'email', 'phone')).toBe(1);
    // It is, if the text was not searched for disguises.
    const unread = `${prose(23)} ${EMAIL}`;
    noteNothing(unread, cleanRecord(unread), 'email');
    expect(await finds(unread, 'email')).toBe(1);
  });
});

describe('a text in which rules have found nothing, slice by slice', () => {
  const long = (nth: number, end = ''): string => `${prose(nth).repeat(120)} ${end}`;

  /** Judged by a rule with this detector, and normalized before, as calls are. */
  async function judgedBy(detector: string, text: string): Promise<string> {
    await normalizeKnown([text]);
    await isDenied(denyingRule([{ field: 'prompt_text', op: 'detects', value: detector }]), llmCall(text));
    return text;
  }

  it('is known for long texts too, and only for that detector', async () => {
    const text = await judgedBy('email', long(30));
    expect(text.length).toBeGreaterThan(32_768);
    expect(findsNothingInSlices(cleanRecord(text), 'email')).toBe(true);
    expect(findsNothingInSlices(cleanRecord(text), 'phone')).toBe(false);
    // Whoever cuts in another way looks for himself.
    expect(findsNothing(cleanRecord(text), 'email')).toBe(false);
  });

  it('is not known if something was found', async () => {
    const text = await judgedBy('email', long(31, EMAIL));
    expect(findsNothingInSlices(cleanRecord(text), 'email')).toBe(false);
  });

  it('is not searched again by rules that mask, except for secrets, which slices may cut', async () => {
    async function finds(text: string, detector: Parameters<typeof detects>[0]): Promise<number> {
      const masks = createMasksOf()([rule('r', detects(detector))]);
      const [found] = (await masks?.data?.findAll([text])) ?? [];
      return found?.findings.length ?? -1;
    }
    const text = long(32, EMAIL);
    await normalizeKnown([text]);
    noteNothingInSlices(text, cleanRecord(text), 'email');
    expect(await finds(text, 'email')).toBe(0);
    const secret = long(33, `ghp_${'Zk4t9Qm2vX7pLrB1'.repeat(3).slice(0, 36)}`);
    await normalizeKnown([secret]);
    noteNothingInSlices(secret, cleanRecord(secret), 'secrets');
    expect(await finds(secret, 'secrets')).toBe(1);
  });
});

describe('a text that was only searched as sent', () => {
  it.each([
    ['long', prose(40)],
    ['short', ''],
  ])('is searched normalized when a client sends it as one text: %s', async (_what, before) => {
    const set = denyingRule([{ field: 'prompt_text', op: 'contains', value: 'falcon' }]);
    const sent = `${before}disguised`;
    expect(await isDenied(set, { ...llmCall('joined'), joined: () => [sent] })).toBe(false);
    expect(await isDenied(set, llmCall(sent, { normalized: `${before}falcon` }))).toBe(true);
  });
});

describe('a document', () => {
  const LIST = { raw: '["4711"]', normalized: '["4711"]', argument: undefined, isConversation: false };

  /** Returns the contents of the readings of lists with these names. */
  function contentsUnder(...names: readonly string[]): (string | undefined)[] {
    const placed = names.map((name) => ({ ...LIST, path: [name], isString: false }));
    const json = Object.fromEntries(names.map((name) => [name, ['4711']]));
    return [...contextReadings(json, placed)].map(({ content }) => content);
  }

  it('is known only below the name that it was read with', () => {
    expect(contentsUnder('pin')).toEqual(contentsUnder('pin'));
    expect(contentsUnder('pin')).not.toEqual(contentsUnder('note'));
  });

  it('is not known by a text that begins like its name', () => {
    const [content = ''] = contentsUnder('["pin');
    const text = { ...LIST, raw: content, normalized: content, path: ['text'], isString: true };
    const readings = [...contextReadings({ text: content }, [text])];
    expect(readings.map((reading) => reading.content)).not.toContain(content);
  });

  it('is not known by another document whose name ends like it', () => {
    expect(contentsUnder('pin", "b')).not.toEqual(contentsUnder('pin', 'b'));
    expect(contentsUnder('pin": "["4711"]\n\uffff\nb')).not.toEqual(contentsUnder('pin', 'b'));
  });
});
