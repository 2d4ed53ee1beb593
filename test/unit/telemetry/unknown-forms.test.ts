import { describe, expect, it } from 'vitest';
import { storedFormUnknown, UnknownForm } from '../../../src/redis/stored-forms.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { createObserver } from '../../../src/telemetry/observer.ts';

function rig() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('info', {}, { write: (line) => void lines.push(JSON.parse(line) as never) });
  const metrics = createMetrics();
  const observer = createObserver(log, log, metrics);
  return {
    lines,
    refuse(form: 'ledger' | 'session', isLogged = true) {
      observer.finished({
        requestId: 'request',
        exchange: undefined,
        refusal: storedFormUnknown(new UnknownForm(form, 9)),
        status: 503,
        outcome: { kind: 'not_forwarded' },
        usage: undefined,
        durationMs: 1,
        firstChunkMs: undefined,
        isLogged,
      });
    },
    counted: async (form: string) =>
      (await metrics.unknownForms.get()).values.find(({ labels }) => labels.form === form)?.value,
  };
}

describe('requests refused for a stored value of an unknown version', () => {
  it('have a series for each form from the start', async () => {
    expect(await rig().counted('hold')).toBe(0);
  });

  it('are counted by form, and their line has the cause', async () => {
    const { lines, refuse, counted } = rig();
    refuse('ledger');
    refuse('ledger', false);
    refuse('session');
    expect([await counted('ledger'), await counted('session')]).toEqual([2, 1]);
    expect(lines.find(({ msg }) => msg === 'request')).toMatchObject({
      type: 'stored_form_unknown',
      cause: expect.stringContaining('ledger of version 9') as string,
    });
  });

  it('are logged as an error once a minute for each form', () => {
    const { lines, refuse } = rig();
    for (let nth = 0; nth < 3; nth += 1) refuse('ledger');
    refuse('session');
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors).toMatchObject([
      { form: 'ledger', version: '9', msg: expect.stringContaining('docs/upgrading.md') as string },
      { form: 'session' },
    ]);
  });
});
