import type { Command } from 'commander';

import { instructions } from '../../src/demo/instructions.ts';
import type { Io } from '../command.ts';
import { buildInfo } from '../version.ts';
import { untilStopped, withWorkerAhead } from './serve.ts';

/** Adds `gateway demo` (`npm start`), which runs a complete gateway with a local provider, Redis and a key. */
export function registerDemo(program: Command, io: Io): void {
  program
    .command('demo')
    .description(
      'try the gateway: start everything it needs and print commands to copy; Ctrl-C stops and removes everything',
    )
    .action(async () => {
      await withWorkerAhead(async (ahead) => {
        const { startDemo } = await import('../../src/demo/demo.ts');
        const demo = await startDemo({
          environment: io.env,
          build: buildInfo(),
          ahead,
          progress: (message) => {
            io.stderr.write(`${message}\n`);
          },
          log: io.stderr,
        });
        io.stdout.write(instructions(demo));
        try {
          await untilStopped(demo.gateway);
        } finally {
          await demo.close();
        }
      }, 'ignore');
    });
}
