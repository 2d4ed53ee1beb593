import * as z from 'zod';
import { CONTENT_CLASSES } from '../../detectors/finding.ts';
import { duration, hostName, section, type Settings } from '../../config/fields.ts';

export const dlpSection = section({
  enabled: z
    .boolean()
    .default(false)
    .describe('Search answers, including streams, for secrets and personal data.'),
  action: z
    .enum(['mask', 'quarantine'])
    .optional()
    .describe(
      'Action on a finding in an answer. Default: personal data is masked; a secret withholds the answer (or cuts off a stream) and locks the key.',
    ),
  scan_secrets: z.boolean().default(true).describe('Search for API keys, tokens and private keys.'),
  scan_pii: z
    .boolean()
    .default(true)
    .describe(
      'Search for personal data: email addresses, phone numbers, payment cards, social security numbers.',
    ),
  scan_network: z.boolean().default(false).describe('Search for private network addresses and host names.'),
  scan_credentials: z
    .boolean()
    .default(false)
    .describe('Search for passwords recognized by their names, such as `DB_PASSWORD=…`.'),
  scan_iban: z.boolean().default(false).describe('Search for IBANs.'),
  scan_wallet_keys: z.boolean().default(false).describe('Search for wallet private keys.'),
  scan_seed_phrases: z.boolean().default(false).describe('Search for seed phrases.'),
  scan_tool_arguments: z
    .boolean()
    .default(true)
    .describe(
      'Search tool arguments written by models. Set it to false if tools need real addresses or numbers.',
    ),
  allowed_hosts: z
    .array(hostName)
    .default([])
    .describe('Domains whose email addresses are not personal data.'),
  quarantine_duration: duration('1h').describe('How long a key is locked after an answer is withheld.'),
  requests: z
    .enum(['off', 'mask', 'deny'])
    .default('off')
    .describe(
      'Action on a finding in a request: mask it, or refuse the request. With `off`, requests are not searched.',
    ),
  request_classes: z
    .array(z.enum(CONTENT_CLASSES))
    .min(1)
    .optional()
    .describe('Classes to search for in requests. Default: all enabled classes.'),
  answer_classes: z
    .array(z.enum(CONTENT_CLASSES))
    .min(1)
    .optional()
    .describe('Classes to search for in answers. Default: all enabled classes.'),
  request_unmaskable: z
    .enum(['deny', 'report'])
    .default('deny')
    .describe(
      'Action if a finding in a conversation cannot be masked (signed text, files, member names): refuse the request, or only record the finding. In MCP, always refused.',
    ),
})
  .prefault({})
  .describe('Data-loss prevention. See docs/dlp.md.');

export type DlpConfig = Settings<typeof dlpSection>;
