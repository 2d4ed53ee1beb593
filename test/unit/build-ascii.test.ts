import { describe, expect, it } from 'vitest';
import { inAscii } from '../../build-ascii.ts';

/** The default export of the module with this code. */
async function evaluate(code: string): Promise<unknown> {
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { default: unknown };
  return module.default;
}

describe('code in ASCII', () => {
  it.each([
    ['a string', String.raw`export default 'naïve "—" 😀 \n' + "\u00e9ü";`],
    ['names', 'const größe = { ключ: 3 }; export default `${größe.ключ}` + JSON.stringify(größe);'],
    ['a template', 'const n = 2; export default `é${n}😀é — ${`ü${n}`}`;'],
    ['a raw template', String.raw`export default String.raw` + '`\\d — é\\s(?:${1 + 1}|ü)`;'],
    ['the source of a pattern', String.raw`export default [/[“”]\d+—\/"/u.source, /é/gi.flags];`],
    [
      'what a pattern finds',
      String.raw`export default ['a“”b', 'É', '😀'].map((t) => /[“”]{2}|é|[😀-😂]/iu.exec(t));`,
    ],
    ['a comment', '/* — */ export default 1; // é'],
  ])('has the same meaning: %s', async (_what, code) => {
    const ascii = inAscii(code);
    expect(ascii).toMatch(/^[\0-\x7F]*$/);
    expect(await evaluate(ascii)).toEqual(await evaluate(code));
  });

  it('is unchanged if it is ASCII already', () => {
    const code = String.raw`export default '\u00e9' + /\//.source;`;
    expect(inAscii(code)).toBe(code);
  });

  it.each([
    ['a backslash before such a character', String.raw`export default '\é';`],
    ['a tag that would see other parts', 'export default tag`é`;'],
  ])('ends the build: %s', (_what, code) => {
    expect(() => inAscii(code)).toThrow(/backslash|tag/);
  });
});
