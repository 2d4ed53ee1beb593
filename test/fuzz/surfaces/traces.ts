import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { verifyTrace } from '../../../src/offline-verify.ts';
import { VIOLATIONS } from '../../../src/verify/finding.ts';
import type { VerifyEvent } from '../../../src/verify/verify.ts';
import { defaultConfig } from '../../support/default-config.ts';
import { disguised, disguises } from '../disguises.ts';
import { mutated, mutations, pieces, someCuts } from '../mutations.ts';
import { leakIn, PLANTED_SECRETS } from '../planted.ts';
import type { Surface } from '../surface.ts';
import { TRACES, type TraceForm } from '../trace-forms.ts';
import { nearby } from '../words.ts';

const FORMS = Object.keys(TRACES) as TraceForm[];

const CARD = `metadata: { name: secrets }
rules:
  - name: secrets
    conditions: [{ field: prompt_text, op: detects, value: secrets }]
    action: deny
    reason: a secret
`;

/** Traces of every form with a planted value in a prompt, disguised, mutated and in odd chunks: it is found, or reported as unread. */
const cases = fc.record({
  form: fc.constantFrom(...FORMS),
  planted: fc.constantFrom(...PLANTED_SECRETS.keys()),
  before: nearby,
  after: nearby,
  disguise: disguises,
  changes: mutations(3),
  chunks: someCuts,
});

export const traces: Surface<FuzzedTrace> = {
  cases,
  open() {
    const directory = mkdtempSync(join(tmpdir(), 'gw-fuzz-'));
    const file = join(directory, 'card.yaml');
    writeFileSync(file, CARD);
    const options = {
      config: defaultConfig(),
      sources: { file, folder: undefined, presets: [] },
      name: 'trace',
      threadSteps: Infinity,
    };
    return Promise.resolve({
      async run(trace) {
        const planted = PLANTED_SECRETS[trace.planted] ?? '';
        const text = TRACES[trace.form](`${trace.before}${planted}${trace.after}`);
        const bytes = mutated(disguised(text, trace.disguise), trace.changes);
        const events: VerifyEvent[] = [];
        for await (const event of verifyTrace(chunks(pieces(bytes, trace.chunks)), options))
          events.push(event);
        return () => {
          const { kind } = events.at(-1) ?? {};
          if (kind !== 'summary') throw new Error(`the last event is ${String(kind)}`);
          // Mutated, it may be in a place that is not judged.
          if (trace.changes.length > 0 || leakIn(bytes, planted) === undefined) return;
          if (!events.some(isTold))
            throw new Error('the planted value is neither found nor reported as unread');
        };
      },
      close() {
        rmSync(directory, { recursive: true, force: true });
        return Promise.resolve();
      },
    });
  },
};

async function* chunks(all: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const chunk of all) yield await Promise.resolve(chunk);
}

function isTold(event: VerifyEvent): boolean {
  if (event.kind === 'unreadable') return true;
  return event.kind === 'finding' && VIOLATIONS.has(event.finding.action);
}

type FuzzedTrace = typeof cases extends fc.Arbitrary<infer Case> ? Case : never;
