/** Whether a reply is a list of so many values. */
export function isReplyOf(length: number, reply: unknown): reply is readonly unknown[] {
  return Array.isArray(reply) && reply.length === length;
}

export function wrongShape(): Error {
  return new Error('Redis gave a reply of the wrong shape');
}
