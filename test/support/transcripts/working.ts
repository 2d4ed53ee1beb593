import { agent, anthropicAgent, chat, prompts, times, type ToolStep, type Transcript } from './transcript.ts';

/** Agents and people who make progress, however similar their calls look. */

const MODULES = [
  ['auth', 'export function login(user: User) { return issueToken(user.id); }'],
  ['billing', 'export const invoiceFor = (order: Order) => lines(order).reduce(add, 0);'],
  ['catalog', 'export class Catalog { constructor(private readonly rows: Row[]) {} }'],
  ['checkout', 'export async function pay(cart: Cart) { await gateway.charge(cart.total); }'],
  ['delivery', 'export function route(parcel: Parcel) { return depots.nearest(parcel.address); }'],
  ['events', 'export const bus = new EventEmitter(); bus.setMaxListeners(50);'],
  ['search', 'export function query(words: string[]) { return index.lookup(words); }'],
  ['users', 'export const rename = (user: User, name: string) => ({ ...user, name });'],
] as const;

const readThenEdit: ToolStep[] = MODULES.flatMap(([module, code]) => [
  { tool: 'read_file', args: { path: `src/${module}.ts` }, result: code },
  {
    tool: 'edit_file',
    args: { path: `src/${module}.ts`, find: 'export ', replace: '/** Public. */ export ' },
    result: `edited src/${module}.ts`,
  },
]);

const LETTERS = 'abcdefghijklmno';

const RULES = `You label messages that customers send to a shop. Read the message and answer with one label and nothing
else. The labels are: refund, where the customer wants money back; delivery, where a parcel is late, lost or damaged;
question, where the customer asks how something works before or after buying it; praise, where the customer is happy;
complaint, where the customer is unhappy and asks for nothing; other, for all that fits none of these. Where two labels
fit, take the one that stands first in this list. Do not explain your choice, do not translate the message, and never
answer the customer yourself. A message that only holds an order number is a question. A message in capital letters is
not a complaint for that alone. Spelling mistakes do not matter.`;

const REVIEWS = [
  'The kettle broke after two days.',
  'Where is my parcel? It should be here since Tuesday.',
  'Lovely colour, my daughter adores it.',
  'Does the lamp work with dimmers?',
  'I sent the shoes back and never saw my money.',
  'The box was crushed and one glass is in pieces.',
  'Nobody picks up the phone at your shop.',
  'Can I wash the blanket at sixty degrees?',
  'Best purchase of the year!',
  'You charged me twice for one chair.',
  'The courier left it in the rain.',
  'Is the battery included?',
];

const PARAGRAPHS = [
  'The harbour lay still when the first boats came in, their lamps burning low.',
  'She counted the crates twice, for the merchant was known to forget one now and then.',
  'By noon the square smelled of fish, oranges and wet rope.',
  'Nobody had seen the clerk since the storm, though his coat hung by the door.',
  'At the inn they spoke of a tax on salt, and of who would pay it.',
  'The boy kept the letter under a loose board, where the mice would not find it.',
];

const RECORDS = [
  ['4711', 'Acme Tools', '30.00', '2024-03-01'],
  ['4712', 'Baker & Sons', '1250.50', '2024-03-02'],
  ['4713', 'Citrus Import', '88.10', '2024-03-02'],
  ['4714', 'Delta Print', '412.00', '2024-03-04'],
  ['4715', 'Elm Furniture', '999.99', '2024-03-05'],
  ['4716', 'Fjord Seafood', '73.25', '2024-03-05'],
  ['4717', 'Granite Works', '5400.00', '2024-03-07'],
] as const;

const CUSTOMERS = [
  ['Kari Nordmann', 'Ola Hansen'],
  ['Ingrid Berg', 'Per Lund'],
  ['Astrid Dahl', 'Jonas Vik'],
  ['Sigrid Moen', 'Lars Haugen'],
  ['Marit Strand', 'Erik Solberg'],
  ['Liv Bakken', 'Nils Aas'],
  ['Solveig Ruud', 'Anders Lie'],
];

const LONG_INSTRUCTION = `Migrate the project from callbacks to promises. Work file by file. For each file: read it, find
every function that takes a callback as its last parameter, turn it into an async function, and change all its callers
in the same file. Keep the names. Keep the comments, and change them where they speak of callbacks. Do not touch tests,
vendored code or generated files. Do not change how errors look from outside: what was passed as first argument of the
callback is thrown now. After each file run the type checker. When you are done, write what you changed into
MIGRATION.md, one line a file, and stop. Ask if anything is unclear; never guess what a function is for.`;

export const WORKING: readonly Transcript[] = [
  agent('refactors file by file', {
    instruction: 'Add a doc comment to every export in src.',
    steps: readThenEdit,
  }),
  agent('reads files whose names differ in one letter', {
    instruction: LONG_INSTRUCTION,
    steps: times(15, (nth) => ({
      tool: 'read_file',
      args: { path: `src/${LETTERS[nth] ?? ''}.ts` },
      result: `export const ${LETTERS[nth] ?? ''} = load();`,
    })),
    gapSeconds: 2,
  }),
  prompts(
    'is told to fix one file after another',
    LETTERS.split('').map((letter) => `Fix src/${letter}.ts`),
    3,
  ),
  prompts(
    'is told to fix one file after another, under a long instruction',
    MODULES.map(([module]) => `${LONG_INSTRUCTION}\n\nThe file of this task: src/${module}.ts`),
    3,
  ),
  agent('polls a job whose progress changes', {
    instruction: 'Start the export and tell me when it is ready.',
    steps: [
      { tool: 'start_export', args: { table: 'orders' }, result: '{"job":"exp-81","status":"queued"}' },
      ...times(10, (nth) => ({
        tool: 'job_status',
        args: { job: 'exp-81' },
        result: JSON.stringify({ job: 'exp-81', status: 'running', percent: nth * 10 + 3 }),
      })),
      { tool: 'job_status', args: { job: 'exp-81' }, result: '{"job":"exp-81","status":"done"}' },
    ],
  }),
  agent('polls a deployment once in half a minute', {
    instruction: 'Deploy build 512 to staging and wait until it is healthy.',
    steps: times(8, () => ({
      tool: 'deployment_status',
      args: { build: 512 },
      result: '{"state":"rolling out"}',
    })),
    gapSeconds: 30,
  }),
  agent('pages through a list', {
    instruction: 'List every customer in Norway.',
    steps: CUSTOMERS.map((names, nth) => ({
      tool: 'list_customers',
      args: { country: 'NO', page: nth + 1 },
      result: JSON.stringify({ page: nth + 1, names }),
    })),
    gapSeconds: 2,
  }),
  agent('runs tests, fixes, and runs them again', {
    instruction: 'Make the tests pass.',
    steps: ['parser', 'printer', 'scanner', 'linker', 'loader'].flatMap((unit, nth) => [
      {
        tool: 'run_tests',
        args: { filter: 'all' },
        result: `${String(5 - nth)} failed: ${unit} should handle an empty input`,
      },
      {
        tool: 'read_file',
        args: { path: `lib/${unit}.js` },
        result: `module.exports = function ${unit}() {}`,
      },
      {
        tool: 'edit_file',
        args: { path: `lib/${unit}.js`, find: '{}', replace: '{ if (!input) return []; }' },
        result: 'ok',
      },
    ]),
    gapSeconds: 3,
  }),
  anthropicAgent('greps for one name after another', {
    instruction: 'Find all places where the old logger is used, and tell me which packages they are in.',
    reminder: '<reminder>The list of tasks is empty. Do not mention this to the user.</reminder>',
    steps: ['createLogger', 'logger.warn', 'logger.error', 'LogLevel', 'withContext', 'flushLogs'].map(
      (name) => ({
        tool: 'grep',
        args: { pattern: name, path: 'packages' },
        result: `packages/core/src/index.ts: ${name}`,
      }),
    ),
    gapSeconds: 3,
  }),
  chat('a person asks about a recipe', [
    {
      user: 'How do I bake bread without a machine?',
      answer: 'Mix flour, water, salt and yeast; knead; wait; bake.',
    },
    { user: 'How long should it rise?', answer: 'About an hour at room temperature, until it has doubled.' },
    { user: 'And in the fridge?', answer: 'Overnight, eight to twelve hours.' },
    { user: 'What flour is best?', answer: 'Strong white flour has more gluten and holds the shape.' },
    { user: 'Can I use rye?', answer: 'Yes, up to half of it; the loaf gets denser.' },
    { user: 'Thanks! How hot should the oven be?', answer: 'As hot as it goes, then 220 degrees.' },
  ]),
  chat('a person says continue', [
    {
      user: 'Tell me a long story about a lighthouse.',
      answer: 'On the rock stood a tower, and in it lived Marten.',
    },
    ...[
      'One night the lamp would not burn, and a ship came near the reef.',
      'He took the old bell from the cellar and rang it until his arms failed.',
      'The captain heard it, turned the wheel, and missed the stones by a hand.',
      'In the morning the crew rowed over with a barrel of oil and a new wick.',
      'Since then they stop there every autumn, and the bell hangs by the door.',
    ].map((answer) => ({ user: 'Continue.', answer })),
  ]),
  chat('a person says yes', [
    { user: 'Help me to set up my new router.', answer: 'Is the power light green?' },
    ...[
      'Is the cable plugged in?',
      'Does your laptop see the network?',
      'Shall I change the password too?',
      'Update?',
    ].map((answer) => ({ user: 'yes', answer })),
    { user: 'yes', answer: 'All done.' },
  ]),
  prompts(
    'translates one paragraph after another',
    PARAGRAPHS.map((text) => `Translate into German, keep the tone:\n\n${text}`),
    5,
  ),
  prompts(
    'extracts data from one record after another',
    RECORDS.map(
      ([number, name, amount, day]) =>
        `Extract number, supplier, total and date as JSON from this invoice:\n\nInvoice ${number}\nFrom: ${name}\nTotal: ${amount} EUR\nDate: ${day}`,
    ),
    2,
  ),
  prompts(
    'labels short messages under a long instruction',
    REVIEWS.map((review) => `${RULES}\n\nMessage: ${review}`),
    1,
  ),
  prompts(
    'labels short messages, the instruction last',
    REVIEWS.map((review) => `Message: ${review}\n\n${RULES}`),
    1,
  ),
  prompts(
    'labels short messages, the instruction apart',
    REVIEWS.map((review) => review),
    1,
    RULES,
  ),
  prompts(
    'asks for the weather of one town after another',
    ['Oslo', 'Bergen', 'Trondheim', 'Stavanger', 'Drammen', 'Molde', 'Hamar'].map(
      (town) => `What will the weather be like in ${town} tomorrow?`,
    ),
    2,
  ),
  prompts(
    'writes texts for one product after another',
    ['desk lamp', 'oak table', 'wool rug', 'steel kettle', 'linen curtain', 'cork board'].map(
      (product) => `Write two friendly sentences for our shop that describe this product: ${product}.`,
    ),
    3,
  ),
  prompts(
    'asks for one chapter summary after another',
    PARAGRAPHS.map((text, nth) => `Summarise chapter ${String(nth + 1)} in one line. It begins: "${text}"`),
    4,
  ),
  prompts(
    'translates Chinese headlines',
    [
      '港口今晨重新开放',
      '市长谈新税法',
      '苹果价格上涨',
      '列车因雪延误',
      '学校周一放假',
      '博物馆展出旧地图',
    ].map((headline) => `请把下面的标题翻译成英文：${headline}`),
    2,
  ),
  agent('answers questions from a database', {
    instruction: 'Which region grew most last year? Look at orders, returns and new customers.',
    system: 'You are an analyst. Use the query tool.',
    steps: [
      'select region, sum(total) from orders group by region',
      'select region, count(*) from returns group by region',
      'select region, count(*) from customers where year(created_at) = 2024 group by region',
      'select region, sum(total) from orders where year(placed_at) = 2023 group by region',
      'select region, sum(total) from orders where year(placed_at) = 2024 group by region',
    ].map((sql, nth) => ({
      tool: 'query',
      args: { sql },
      result: `north ${String(40 + nth)}, south ${String(31 * nth)}`,
    })),
    gapSeconds: 3,
  }),
];
