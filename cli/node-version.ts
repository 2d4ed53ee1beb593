/** `engines.node` of package.json. A test compares the two. */
const OLDEST = { major: 22, minor: 15 };

/** Explains why this Node cannot run the gateway; undefined if it can. @param version such as `20.20.2` */
export function whyTooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `needs Node ${String(OLDEST.major)}.${String(OLDEST.minor)} or newer; this is Node ${version}. Install it from https://nodejs.org/en/download`;
}
