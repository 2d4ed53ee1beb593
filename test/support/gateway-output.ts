/** What each running gateway has printed. A module of its own, because setup files may be loaded anew for each file. */
const running = new Set<() => string>();

const MAX_LINES = 8;
const MAX_LINE_CHARACTERS = 300;

/** From here on, what a gateway prints is shown with each failed test; returns what ends that. */
export function watchOutput(output: () => string): () => void {
  running.add(output);
  return () => running.delete(output);
}

/** The last warnings and errors of each running gateway, and what a crash prints. */
export function troublesOfGateways(): string[] {
  return [...running].flatMap((output) => {
    const lines = output()
      .split('\n')
      .filter((line) => line !== '' && !/"level":"(info|debug)"/.test(line));
    const last = lines.slice(-MAX_LINES).map((line) => line.slice(0, MAX_LINE_CHARACTERS));
    return last.length === 0 ? [] : ['A gateway that ran said:', ...last];
  });
}
