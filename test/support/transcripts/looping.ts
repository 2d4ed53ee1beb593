import { agent, anthropicAgent, chat, prompts, times, type Transcript } from './transcript.ts';

/** Agents that go round in circles, undisguised: their calls differ only in appearance. */
export const LOOPING: readonly Transcript[] = [
  prompts(
    'sends the same prompt again and again',
    times(8, () => 'Summarise the quarterly report for the finance team.'),
    3,
  ),
  prompts(
    'sends the same long prompt, dressed differently',
    times(
      6,
      (nth) =>
        [
          'Fix the failing login test in the web client',
          'fix the failing login test in the web client!',
          'Please fix the failing login test in the web client.',
        ][nth % 3] ?? '',
    ),
    3,
  ),
  prompts(
    'sends the same prompt with blanks and line breaks',
    times(6, (nth) => `Refactor the payment module.${' '.repeat(nth * 3)}${'\n'.repeat(nth)}`),
    2,
  ),
  agent('reads the same file for ever', {
    instruction: 'Find out why the build fails.',
    steps: times(8, () => ({
      tool: 'read_file',
      args: { path: 'webpack.config.js' },
      result: 'module.exports = { entry: "./src/index.js" };',
    })),
  }),
  agent('runs a failing command for ever', {
    instruction: 'Install the dependencies and start the server.',
    steps: times(7, () => ({
      tool: 'shell',
      args: { command: 'npm install' },
      result: 'npm error ERESOLVE could not resolve peer react@"^17" from old-widget',
    })),
  }),
  agent('goes to and fro between two calls', {
    instruction: 'Make the header blue.',
    steps: times(10, (nth) =>
      nth % 2 === 0
        ? {
            tool: 'edit_file',
            args: { path: 'header.css', find: 'red', replace: 'blue' },
            result: 'not found: red',
          }
        : { tool: 'read_file', args: { path: 'header.css' }, result: 'h1 { color: var(--accent); }' },
    ),
  }),
  agent('calls a tool without arguments for ever', {
    instruction: 'Wait for the printer.',
    steps: times(7, () => ({ tool: 'printer_state', args: {}, result: 'offline' })),
  }),
  anthropicAgent('asks for a missing file for ever', {
    instruction: 'Read the specification and list its open questions.',
    reminder: '<reminder>The list of tasks is empty. Do not mention this to the user.</reminder>',
    steps: times(7, () => ({
      tool: 'view',
      args: { path: '/docs/specification.pdf' },
      result: 'Error: no such file or directory',
      says: 'Let me look at the specification.',
    })),
  }),
  chat(
    'is told the same and answers the same',
    times(7, () => ({
      user: 'Use the corporate template for the slides.',
      answer: 'I cannot open the corporate template.',
    })),
  ),
  chat(
    'is told to continue, and has nothing to add',
    times(8, () => ({ user: 'Continue.', answer: 'The task is complete. Is there anything else?' })),
  ),
  chat(
    'is asked the same and excuses itself in other words',
    [
      'I am sorry, I cannot reach the server.',
      'Unfortunately the connection timed out on my side.',
      'It seems that the host does not answer at the moment.',
      'The request failed, perhaps a firewall is in between.',
      'No luck so far.',
      'Still nothing.',
    ].map((answer) => ({ user: 'Download the sales figures from the intranet server.', answer })),
  ),
  agent('searches the web for the same words', {
    instruction: 'Who won the chess championship in 1911?',
    system: 'You are a research assistant.',
    steps: times(7, () => ({
      tool: 'web_search',
      args: { query: 'chess championship 1911 winner' },
      result: 'No results.',
    })),
    gapSeconds: 7,
  }),
];
