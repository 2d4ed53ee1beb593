import { afterEach } from 'vitest';

import { troublesOfGateways } from './gateway-output.ts';

/** A failure on a busy machine cannot be repeated at will, so it names what the running gateways said. */
afterEach(({ task }) => {
  const error = task.result?.state === 'fail' ? task.result.errors?.at(-1) : undefined;
  if (error === undefined) return;
  error.stack = [error.stack ?? error.message, ...troublesOfGateways()].join('\n  ');
});
