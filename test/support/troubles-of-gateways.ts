import { afterEach } from 'vitest';

import { troublesOfGateways } from './gateway-output.ts';

/** A failure on a busy machine cannot be reproduced at will, so it quotes the running gateways' output. */
afterEach(({ task }) => {
  const error = task.result?.state === 'fail' ? task.result.errors?.at(-1) : undefined;
  if (error === undefined) return;
  error.stack = [error.stack ?? error.message, ...troublesOfGateways()].join('\n  ');
});
