/** Parses one value of a reply, or throws `wrongShape`. zod is too slow, because it creates two objects per value. */
export type ReplyReader<Value> = (reply: unknown) => Value;

export const text: ReplyReader<string> = (reply) => {
  if (typeof reply !== 'string') throw wrongShape();
  return reply;
};

export const number: ReplyReader<number> = (reply) => {
  if (!Number.isFinite(reply)) throw wrongShape();
  return reply as number;
};

export const wholeNumber = wholeNumberFrom(-Infinity);
export const count = wholeNumberFrom(0);
export const flag = oneOf(0, 1);
export const yes: ReplyReader<boolean> = (reply) => flag(reply) === 1;

export function wholeNumberFrom(least: number): ReplyReader<number> {
  return (reply) => {
    if (!Number.isSafeInteger(reply) || (reply as number) < least) throw wrongShape();
    return reply as number;
  };
}

export function oneOf<const Value>(...values: readonly Value[]): ReplyReader<Value> {
  return (reply) => {
    if (!values.includes(reply as Value)) throw wrongShape();
    return reply as Value;
  };
}

export function listOf<Value>(read: ReplyReader<Value>): ReplyReader<readonly Value[]> {
  return (reply) => {
    if (!Array.isArray(reply)) throw wrongShape();
    return reply.map(read);
  };
}

export function tupleOf<const Values extends readonly unknown[]>(
  ...readings: { readonly [Index in keyof Values]: ReplyReader<Values[Index]> }
): ReplyReader<Values> {
  return (reply) => {
    if (!isReplyOf(readings.length, reply)) throw wrongShape();
    return readings.map((read, index) => read(reply[index])) as unknown as Values;
  };
}

export function unlessEmpty<Value>(read: ReplyReader<Value>): ReplyReader<Value | undefined> {
  return (reply) => (isReplyOf(0, reply) ? undefined : read(reply));
}

export function isReplyOf(length: number, reply: unknown): reply is readonly unknown[] {
  return Array.isArray(reply) && reply.length === length;
}

export function wrongShape(): Error {
  return new Error('Redis sent an unexpected reply');
}
