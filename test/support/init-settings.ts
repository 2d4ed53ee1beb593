import { parse } from 'yaml';

import type { ConfigInput } from '../../src/config/schema.ts';
import { configText, defaultAnswers, type Purpose } from '../../src/init/files.ts';

/** The checks of the file that `gateway init` writes; addresses, Redis and certificates are the test's. */
export function initSettings(purpose: Purpose): ConfigInput {
  const { server, policy, loop_detection } = parse(configText(defaultAnswers(purpose))) as ConfigInput;
  return {
    ...(server?.dlp !== undefined && { server: { dlp: server.dlp } }),
    ...(policy !== undefined && { policy }),
    ...(loop_detection !== undefined && { loop_detection }),
  };
}
