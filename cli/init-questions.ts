import { confirm, isCancel, multiselect, select, text } from '@clack/prompts';

import { DEFAULT_ANSWERS, defaultAnswers, type Answers, type Purpose } from '../src/init/files.ts';
import { PRESET_NAMES, type PresetName } from '../src/policy/presets.ts';
import type { Io } from './command.ts';

/** Thrown when the user cancels; nothing has been written. */
export class Cancelled extends Error {}

const PURPOSE_OPTIONS: { value: Purpose; label: string; hint: string }[] = [
  { value: 'chat', label: 'Chat application', hint: 'personal data is masked; a secret locks the key' },
  { value: 'agent', label: 'Coding agent', hint: 'only secrets are masked; files are otherwise unchanged' },
];

const DLP_QUESTION: Readonly<Record<Purpose, string>> = {
  chat: 'Mask personal data and stop secrets in answers?',
  agent: 'Mask secrets in requests and answers?',
};

/** @param given purpose, if already chosen */
export async function askAnswers(io: Io, given: Purpose | undefined): Promise<Answers> {
  const terminal = { input: io.stdin, output: io.stdout as NodeJS.WriteStream };
  const purpose =
    given ??
    answerOrCancel(
      await select<Purpose>({
        ...terminal,
        message: 'Chat application or coding agent?',
        options: PURPOSE_OPTIONS,
        initialValue: DEFAULT_ANSWERS.purpose,
      }),
    );
  const port = answerOrCancel(
    await text({
      ...terminal,
      message: 'Which port should the gateway listen on?',
      defaultValue: String(DEFAULT_ANSWERS.port),
      placeholder: String(DEFAULT_ANSWERS.port),
      validate: (value) => portProblem(value ?? ''),
    }),
  );
  const certFile = answerOrCancel(
    await text({
      ...terminal,
      message: 'TLS certificate (PEM)? Leave empty for plain HTTP on this machine (development only)',
      defaultValue: '',
    }),
  );
  const keyFile =
    certFile === ''
      ? ''
      : answerOrCancel(
          await text({
            ...terminal,
            message: 'Private key of the certificate (PEM)?',
            validate: (value) => keyFileProblem(value ?? ''),
          }),
        );
  const presets = answerOrCancel(
    await multiselect<PresetName>({
      ...terminal,
      message: 'Which policy presets?',
      options: PRESET_NAMES.map((value) => ({ value })),
      initialValues: [...defaultAnswers(purpose).presets],
      required: false,
    }),
  );
  const dlp = answerOrCancel(
    await confirm({ ...terminal, message: DLP_QUESTION[purpose], initialValue: true }),
  );
  return {
    purpose,
    port: Number(port),
    tls: certFile === '' ? undefined : { certFile, keyFile },
    presets,
    dlp,
    redisPort: DEFAULT_ANSWERS.redisPort,
  };
}

export async function askWhether(io: Io, question: string, initialValue: boolean): Promise<boolean> {
  const terminal = { input: io.stdin, output: io.stdout as NodeJS.WriteStream };
  return answerOrCancel(await confirm({ ...terminal, message: question, initialValue }));
}

function answerOrCancel<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new Cancelled();
  return answer as Exclude<T, symbol>;
}

function portProblem(value: string): string | undefined {
  const port = value === '' ? DEFAULT_ANSWERS.port : Number(value);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? undefined : 'Enter a port from 1 to 65535.';
}

function keyFileProblem(value: string): string | undefined {
  return value === '' ? 'Enter the path of the private key.' : undefined;
}
