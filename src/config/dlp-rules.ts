import type { ContentClass } from '../detectors/finding.ts';
import type { RuleProblem } from './rule.ts';
import type { Config } from './schema.ts';

type Switch = Extract<keyof Config['server']['dlp'], `scan_${string}`>;

const SWITCHES: Readonly<Record<ContentClass, Switch>> = {
  secret: 'scan_secrets',
  email: 'scan_pii',
  card: 'scan_pii',
  ssn: 'scan_pii',
  phone: 'scan_pii',
  network: 'scan_network',
  credentials: 'scan_credentials',
  iban: 'scan_iban',
  wallet_key: 'scan_wallet_keys',
  seed_phrase: 'scan_seed_phrases',
};

/** Rejects listed classes whose scan is switched off: they would never be detected. */
export function dlpClasses({ server: { dlp } }: Config): readonly (RuleProblem | false)[] {
  return (['request_classes', 'answer_classes'] as const).flatMap((list) =>
    (dlp[list] ?? []).map(
      (one, index) =>
        !dlp[SWITCHES[one]] && {
          path: ['server', 'dlp', list, index],
          message: `${one} is off: set server.dlp.${SWITCHES[one]}`,
        },
    ),
  );
}
