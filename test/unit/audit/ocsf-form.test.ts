import { expect, it } from 'vitest';
import * as z from 'zod';
import { detectionFinding, type Evidence } from '../../../src/audit/ocsf.ts';
import { CONTENT_CLASSES } from '../../../src/detectors/finding.ts';
import { owaspIds } from '../../../src/owasp.ts';

/** OCSF 1.8: attributes of the objects in a Detection Finding; any other attribute is invalid. */
const text = z.string().min(1);
const FINDING = z.object({
  class_uid: z.literal(2004),
  category_uid: z.literal(2),
  type_uid: z.literal(200401),
  status_id: z.literal(1),
  finding_info: z.strictObject({
    uid: text,
    title: text,
    desc: z.string(),
    types: z
      .array(z.string().regex(/^(LLM|ASI)\d\d:2026$/))
      .min(1)
      .refine((types) => new Set(types).size === types.length, 'each type once')
      .optional(),
    analytic: z.strictObject({ name: text, type: z.literal('Rule'), type_id: z.literal(1) }),
  }),
  evidences: z
    .array(z.strictObject({ name: text, data: z.record(z.string(), z.unknown()) }))
    .min(1)
    .optional(),
  resources: z.array(z.strictObject({ type: text, name: text })).optional(),
});

function finding(detector: string, classes: readonly string[]) {
  const evidences = classes.map((one): Evidence => ({ rule: 'r', class: one }));
  return detectionFinding({
    requestId: 'r-1',
    message: '',
    severity: 'medium',
    disposition: 'detected',
    actor: { uid: 'sha256:a', name: 'key' },
    resources: [{ type: 'proxy_key', name: 'key' }],
    unmapped: {},
    detector,
    title: 'found',
    evidences,
    owasp: owaspIds({ classes, check: detector }),
  });
}

it.each([
  ['dlp', [...CONTENT_CLASSES, ...CONTENT_CLASSES]],
  ['mcp-inspector', ['override', 'leak', 'injection', 'traversal', 'secret']],
  ['loop', []],
  ['drift', []],
  ['dlp', ['pattern']],
])('a Detection Finding of %s has the attributes of OCSF 1.8, each type once: %j', (detector, classes) => {
  expect(FINDING.safeParse(finding(detector, classes)).error).toBeUndefined();
});

it('types and evidences are omitted if there are none', () => {
  const record = finding('dlp', ['pattern']);
  expect(record.finding_info).not.toHaveProperty('types');
  expect(finding('loop', [])).not.toHaveProperty('evidences');
});
