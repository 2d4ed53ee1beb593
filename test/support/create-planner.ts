/** Arguments of the CLI that create a key and print it as JSON. */
export const CREATE_PLANNER = [
  ...['keys', 'create'],
  ...['--name', 'planner', '--provider', 'openai', '--output', 'json'],
] as const;
