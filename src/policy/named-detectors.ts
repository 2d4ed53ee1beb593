import { seedPhraseDetector } from '../detectors/assets/seed-phrase.ts';
import { walletKeyDetector } from '../detectors/assets/wallet-key.ts';
import { credentialsDetector } from '../detectors/credentials/credentials.ts';
import type { Detector, DetectorName, StreamDetector } from '../detectors/finding.ts';
import { findPromptInjection } from '../detectors/injection/prompt-injection.ts';
import { internalHostDetector } from '../detectors/network/internal-host.ts';
import { networkDetector } from '../detectors/network/network.ts';
import { holdingBack } from '../detectors/overlaps.ts';
import { cardDetector } from '../detectors/pii/card.ts';
import { findCvv } from '../detectors/pii/cvv.ts';
import { createEmailDetector } from '../detectors/pii/email.ts';
import { ibanDetector } from '../detectors/pii/iban.ts';
import { phoneDetector } from '../detectors/pii/phone.ts';
import { ssnDetector } from '../detectors/pii/ssn.ts';
import { secretsDetector } from '../detectors/secrets/secrets.ts';
import { findSqlInjection } from '../detectors/sql/sql-injection.ts';
import { findPathClimb } from '../detectors/traversal/path-climb.ts';
import { findPathTraversal } from '../detectors/traversal/path-traversal.ts';

/** Detectors that judge whole texts, so their findings have no position to mask. */
type WholeTextDetector = 'path_climb' | 'injection_learned';

const STREAM_DETECTORS: Readonly<
  Record<Exclude<DetectorName, WholeTextDetector>, readonly StreamDetector[]>
> = {
  secrets: [secretsDetector],
  email: [createEmailDetector([])],
  card: [cardDetector],
  ssn: [ssnDetector],
  phone: [phoneDetector],
  network: [networkDetector, internalHostDetector],
  credentials: [credentialsDetector],
  iban: [ibanDetector],
  wallet_key: [walletKeyDetector],
  seed_phrase: [seedPhraseDetector],
  prompt_injection: [holdingBack(findPromptInjection)],
  sql_injection: [holdingBack(findSqlInjection)],
  path_traversal: [holdingBack(findPathTraversal)],
  cvv: [holdingBack(findCvv)],
};

/** Detector names in cards. `secrets`, the detector's own name, means the same as `secret`. */
export const DETECTOR_NAMES: readonly string[] = [
  'secret',
  ...Object.keys(STREAM_DETECTORS),
  'path_climb',
  'injection_learned',
];

export function detectorNamed(name: string): DetectorName | undefined {
  if (name === 'secret') return 'secrets';
  return DETECTOR_NAMES.includes(name) ? (name as DetectorName) : undefined;
}

export function judgesWholeTexts(detector: DetectorName): detector is WholeTextDetector {
  return detector === 'path_climb' || detector === 'injection_learned';
}

export function streamDetectors(detector: DetectorName): readonly StreamDetector[] {
  return judgesWholeTexts(detector) ? [] : STREAM_DETECTORS[detector];
}

export function findNamed(detector: Exclude<DetectorName, 'injection_learned'>): Detector {
  if (detector === 'path_climb') return findPathClimb;
  const [first, ...more] = STREAM_DETECTORS[detector].map(({ find }) => find);
  if (first === undefined) return () => [];
  return more.length === 0 ? first : (text) => [first, ...more].flatMap((find) => find(text));
}
