import type { Command } from 'commander';

/** Help examples for commands that define none in their own files. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  serve: ['gateway serve', 'SERVER_INSECURE_DEV=true gateway serve --config ./gateway.yaml'],
  demo: ['gateway demo'],
  'keys list': [
    'gateway keys list',
    'gateway keys list --sort last-used --limit 20',
    'gateway keys list --filter status=active --filter "owner=team-*" --output json',
  ],
  'keys show': ['gateway keys show planner'],
  'keys update': [
    'gateway keys update planner --policy-overrides block-prompt-injection=report',
    'gateway keys update planner --policy-overrides none',
    'gateway keys update planner --credentials openai-main',
  ],
  spend: ['gateway spend --by tag:team --since 30d', 'gateway spend --by model --bucket day --output csv'],
  'ui tokens list': ['gateway ui tokens list'],
  'ui tokens revoke': ['gateway ui tokens revoke 1f0c2d3e4f5a6b7c --reason "laptop was lost"'],
  'budget list': ['gateway budget list', 'gateway budget list --output json'],
  'credentials list': ['gateway credentials list'],
  'credentials rotate': ['gateway credentials rotate openai-main'],
  'credentials check': ['gateway credentials check && gateway serve'],
  'keys revoke': ['gateway keys revoke planner', 'gateway keys revoke 1f0c2d'],
  'keys rotate': ['gateway keys rotate planner --grace 1h'],
  'budget set': [
    'gateway budget set planner --daily 5 --monthly 50',
    'gateway budget set --hourly 1',
    'gateway budget set planner --daily none',
    'gateway budget set --tag team=search --daily 50',
  ],
  'budget status': [
    'gateway budget status',
    'gateway budget status --over 80',
    'gateway budget status --limit 20 --filter "owner=team-*"',
    'gateway budget status planner --output json',
  ],
  'sessions list': ['gateway sessions list planner', 'gateway sessions list --sort spent --limit 20'],
  'sessions show': ['gateway sessions show planner run-17'],
  'sessions end': ['gateway sessions end planner run-17'],
  'risk list': ['gateway risk list --limit 20', 'gateway risk list --filter state=locked'],
  'risk show': ['gateway risk show planner'],
  'risk reset': ['gateway risk reset planner'],
  'quarantine list': ['gateway quarantine list'],
  'quarantine set': ['gateway quarantine set planner --for 1h --reason "too many failed calls" --as jane'],
  'quarantine release': ['gateway quarantine release planner'],
  'escalations list': ['gateway escalations list'],
  'escalations watch': ['gateway escalations watch'],
  'escalations approve': ['gateway escalations approve 6f1f7c62'],
  'escalations deny': ['gateway escalations deny 6f1f7c62'],
  'mcp pins list': ['gateway mcp pins list', 'gateway mcp pins list files'],
  'mcp pins accept': ['gateway mcp pins accept files read_file'],
  'config print': ['gateway config print', 'gateway config print --output json'],
  'config schema': ['gateway config schema > gateway.schema.json'],
  'config check': ['gateway config check --config ./gateway.yaml'],
  'policy schema': ['gateway policy schema > card.schema.json'],
};

export function addExamples(program: Command): void {
  for (const [path, calls] of Object.entries(EXAMPLES)) {
    const lines = calls.map((call) => `  $ ${call}\n`).join('');
    findCommand(program, path.split(' '))?.addHelpText('after', `\nExamples:\n${lines}`);
  }
}

/** Returns undefined if the command is not loaded. */
function findCommand(program: Command, path: readonly string[]): Command | undefined {
  return path.reduce<Command | undefined>(
    (command, name) => command?.commands.find((child) => child.name() === name),
    program,
  );
}
