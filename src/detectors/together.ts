import { LOOK_BEHIND_CHARS, type Detector, type Finding, type StreamDetector } from './finding.ts';
import { startOfWhatReachesOver, withoutOverlaps } from './overlaps.ts';

/** Several detectors as one: findings in order of `start`, of which none overlaps another. */
export function asOneDetector(detectors: readonly StreamDetector[]): StreamDetector {
  const find: Detector = (text) => {
    const found = detectors.flatMap((one) => one.find(text));
    return found.length < 2 ? found : withoutOverlaps(found);
  };
  const findEach = (text: string): readonly Finding[] => detectors.flatMap((one) => one.find(text));
  return {
    find,
    openFrom(text) {
      const open = Math.min(text.length, ...detectors.map(({ openFrom }) => openFrom(text)));
      return open === text.length ? open : startOfWhatReachesOver(findEach(text), open);
    },
  };
}

/**
 * A stream detector out of one that cannot say what the end of a text leaves undecided: so much is always held back
 * (docs/dlp.md). A match that is longer is found once it is there, and what had left of it
 * by then is past masking.
 */
export function holdingBack(find: Detector): StreamDetector {
  return {
    find,
    openFrom: (text) => startOfWhatReachesOver(find(text), Math.max(0, text.length - LOOK_BEHIND_CHARS)),
  };
}
