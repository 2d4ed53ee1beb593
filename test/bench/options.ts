import { parseArgs } from 'node:util';
import type { SweepOptions } from './sweep.ts';

export const USAGE = `npm run bench [-- KIND] [OPTION …]

Ours beside an Envoy that only passes on, one whose external processor looks at nothing, and Portkey's gateway with
regex guards, in interleaved rounds on one core:
  cost         a request (what is measured without a KIND)
  histories    agents that send their whole history
  streams      first token, transit of a chunk, streams a second
  quarantine   a rejection at the request headers
  footprint    memory, and how long a start takes
  all          all of these
  plot FILE    draws what all --json FILE has measured

Ours alone:
  sweep        the longest turn of the event loop that hostile requests and answers can make
  policy       requests through gateways that differ in their policies
  judging      what judging a call costs by itself, in process
  verify       a trace of 100,000 steps
  transports   carrying a request to the sidecar over each server.extproc.transport
  traces       what traces add to a request of 1 KB

  --rounds N       rounds (5; policy: 3)
  --size LIST      bytes of prompts (1k,32k,1m)
  --rigs REGEX     names of rigs that are started (all)
  --json FILE      where the figures are written
  --places REGEX, --shapes REGEX, --each N, --part I/N
                   sweep: which of its cases
  --masking        sweep: mask rules of a policy in place of DLP
  --help           this text

docs/benchmarks.md says how it is measured, and has a run.
`;

/** The options of `npm run bench -- …`. */
export interface BenchOptions extends SweepOptions {
  /** The part to measure, or `plot`. */
  readonly kind: string;
  /** Its argument: the file that `plot` draws. */
  readonly operands: readonly string[];
  readonly rounds?: number;
  /** Prompt sizes in bytes. */
  readonly sizes: readonly number[];
  /** Names of the rigs to start. */
  readonly rigs: RegExp;
  readonly json?: string;
}

/**
 * @returns undefined if help is requested
 * @throws Error that names the option and its values
 */
export function readOptions(args: readonly string[]): BenchOptions | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      size: { type: 'string', default: '1k,32k,1m' },
      rigs: { type: 'string', default: '.' },
      json: { type: 'string' },
      places: { type: 'string', default: '.' },
      shapes: { type: 'string', default: '.' },
      each: { type: 'string' },
      part: { type: 'string', default: '0/1' },
      masking: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const [kind = 'cost', ...operands] = positionals;
  const [part = 0, parts = 1] = values.part.split('/').map((text) => wholeNumber('part', text, 0));
  return {
    kind,
    operands,
    ...(values.rounds !== undefined && { rounds: wholeNumber('rounds', values.rounds) }),
    sizes: values.size.split(',').map(bytesOf),
    rigs: pattern('rigs', values.rigs),
    ...(values.json !== undefined && { json: values.json }),
    places: pattern('places', values.places),
    shapes: pattern('shapes', values.shapes),
    each: values.each === undefined ? Infinity : wholeNumber('each', values.each),
    part,
    parts,
    masking: values.masking,
  };
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_024, m: 1_024 * 1_024 };
/** Envoy and the gateway accept bodies of 2 MiB. */
const LARGEST = 1_536 * 1_024;

/** `800`, `1k`, `32K`, `1m`. */
function bytesOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d+)([km]?)$/i.exec(text.trim()) ?? [];
  const bytes = Number(count) * (UNITS[unit.toLowerCase()] ?? 1);
  if (bytes > 0 && bytes <= LARGEST) return bytes;
  throw new Error(`--size ${text}: sizes are like 800, 1k, 32k or 1m, up to 1536k, with commas between them`);
}

function wholeNumber(option: string, text: string, least = 1): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Error(`--${option} ${text}: a whole number from ${String(least)} is wanted`);
}

function pattern(option: string, text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (cause) {
    throw new Error(`--${option} ${text}: this is no regular expression`, { cause });
  }
}
