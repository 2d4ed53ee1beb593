import * as z from 'zod';
import { CONTENT_CLASSES } from '../../detectors/finding.ts';
import { duration, hostName, section, type Settings } from '../../config/fields.ts';

/** `server.dlp`: data-loss prevention on completions (docs/dlp.md). */
export const dlpSection = section({
  enabled: z.boolean().default(false),
  /** Unset: personal data is masked, secrets quarantine. */
  action: z.enum(['mask', 'quarantine']).optional(),
  scan_secrets: z.boolean().default(true),
  scan_pii: z.boolean().default(true),
  scan_network: z.boolean().default(false),
  /** Passwords that only their names tell, and what else is off unless asked for (docs/credentials.md). */
  scan_credentials: z.boolean().default(false),
  scan_iban: z.boolean().default(false),
  scan_wallet_keys: z.boolean().default(false),
  scan_seed_phrases: z.boolean().default(false),
  /** Whether what a model writes as a tool's arguments is searched like all else of an answer. */
  scan_tool_arguments: z.boolean().default(true),
  /** Domains whose e-mail addresses are not personal data. */
  allowed_hosts: z.array(hostName).default([]),
  quarantine_duration: duration('1h'),
  /** What happens to the same findings in requests. */
  requests: z.enum(['off', 'mask', 'deny']).default('off'),
  /** The classes that requests are searched for. Unset: all that are switched on. */
  request_classes: z.array(z.enum(CONTENT_CLASSES)).min(1).optional(),
  /** The classes that answers are searched for. Unset: all that are switched on. */
  answer_classes: z.array(z.enum(CONTENT_CLASSES)).min(1).optional(),
  /** What happens to a finding in a conversation where no mask can stand: signed text, files, member names. */
  request_unmaskable: z.enum(['deny', 'report']).default('deny'),
}).prefault({});

export type DlpConfig = Settings<typeof dlpSection>;
