/** The output of each running gateway. A separate module, because setup files may be loaded again for each file. */
const running = new Set<() => string>();

const MAX_LINES = 8;
const MAX_LINE_CHARACTERS = 300;

/** From now on, prints a gateway's output with each failed test; returns a function that stops this. */
export function watchOutput(output: () => string): () => void {
  running.add(output);
  return () => running.delete(output);
}

/** The last warnings and errors of each running gateway, and the output of a crash. */
export function troublesOfGateways(): string[] {
  return [...running].flatMap((output) => {
    const lines = output()
      .split('\n')
      .filter((line) => line !== '' && !/"level":"(info|debug)"/.test(line));
    const last = lines.slice(-MAX_LINES).map((line) => line.slice(0, MAX_LINE_CHARACTERS));
    return last.length === 0 ? [] : ['A gateway that ran said:', ...last];
  });
}
