const MARKER = /^--- (?:End of )?Context from:([^\n]{1,1024}?)---[ \t]{0,4}$/gm;
const END = '--- End of';

/**
 * Reports whether a text wraps each context file in one pair of markers, `--- Context from: A.md ---` and
 * `--- End of Context from: A.md ---`, as coding agents do in front of a person's words. A file that contains a marker
 * of its own breaks the pairs.
 */
export function wrapsContextFiles(text: string): boolean {
  const wrapped = new Set<string>();
  let open: string | undefined;
  for (const { 0: marker, 1: name = '' } of text.matchAll(MARKER)) {
    const isEnd = marker.startsWith(END);
    if (isEnd ? open !== name : open !== undefined || wrapped.has(name)) return false;
    wrapped.add(name);
    open = isEnd ? undefined : name;
  }
  return open === undefined && wrapped.size > 0;
}
