/** The import directions of the project: nothing points back, checks never import each other. */
const forbid = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    forbid('no-cycles', {}, { circular: true }, 'A cycle hides which side owns the idea.'),
    forbid('src-not-to-cli', { path: '^src' }, { path: '^cli' }, 'cli imports src, never the other way.'),
    forbid('product-not-to-test', { path: '^(src|cli)' }, { path: '^test' }, 'Tests import the product.'),
    forbid(
      'only-the-browser-has-the-page',
      { path: '^(src|cli)' },
      { path: '^page' },
      'It needs a document.',
    ),
    forbid(
      'page-knows-the-contract',
      { path: '^page' },
      { path: '^(src|cli|test)', pathNot: '^src/operator/api/schemas/' },
      'The page imports the types of the API, and nothing else of the gateway.',
    ),
    forbid(
      'checks-apart',
      { path: '^src/checks/([^/]+)/' },
      { path: '^src/checks/([^/]+)/', pathNot: '^src/checks/$1/' },
      'A check declares the narrow function it needs; its composition root passes it.',
    ),
    forbid(
      'pipeline-knows-no-check',
      { path: '^src/pipeline' },
      {
        path: '^src/(answers|conversation|checks|composition|extproc|runtime|envoy|admin|redis|serve|operate|offline)',
      },
      'The spine imports no check and no edge.',
    ),
    forbid(
      'answers-and-conversation-know-no-check',
      { path: '^src/(answers|conversation)' },
      { path: '^src/(checks|extproc|runtime|envoy|admin|redis|serve|operate|offline)' },
      'They read requests and answers, independently of checks and transport.',
    ),
    forbid(
      'inspect-knows-no-check',
      { path: '^src/inspect/' },
      { path: '^src/(checks|policy|extproc|runtime|envoy|admin|redis|serve|operate|offline)' },
      'It searches and masks texts; checks decide what to search for and how to react.',
    ),
    forbid(
      'checks-know-no-edge',
      { path: '^src/checks' },
      { path: '^src/(composition|extproc|runtime|envoy|admin|serve|operate|offline)' },
      'Checks judge exchanges; only the edge speaks to Envoy, and only `composition` builds checks.',
    ),
    forbid(
      'leaves-stay-leaves',
      { path: '^src/(json|streams|text|normalize|detectors)/' },
      {
        path: '^src/',
        pathNot:
          '^src/(add-all|errors|headers|clean-texts|media-type|recent-map|turns|json|streams|text|inspect/(offset-map|walk)|normalize|detectors)',
      },
      'Anyone may import leaves, so they import only each other.',
    ),
    forbid(
      'providers-are-pure',
      { path: '^src/providers' },
      {
        path: '^src/',
        pathNot:
          '^src/(add-all|errors|headers|turns|json|streams|text|inspect/walk|providers|pricing|mcp/message)',
      },
      'A provider file only describes its dialect.',
    ),
    forbid(
      'ioredis-only-in-stores',
      { path: '^(src|cli)', pathNot: '^src/(redis/|.*store\\.ts$|runtime/redis)' },
      { path: 'node_modules/ioredis' },
      'Only src/redis and the store files talk to Redis.',
    ),
    forbid(
      'http2-knows-nobody',
      { path: '^src/http2/' },
      { path: '^src/', pathNot: '^src/http2/' },
      'HTTP/2 transports bytes; the edge interprets them.',
    ),
    forbid(
      'http2-only-at-the-edge',
      { path: '^(src|cli)/', pathNot: '^src/(http2|extproc)/' },
      { path: '^src/http2/' },
      'It is built for one peer, Envoy, to which only the edge talks.',
    ),
    forbid(
      'phases-apart',
      { path: '^src/extproc/phases/' },
      { path: '^src/extproc/phases/' },
      'Code shared by two phases belongs to request/ or reply/.',
    ),
    forbid(
      'wire-knows-nobody',
      { path: '^src/extproc/wire/' },
      { path: '^src/', pathNot: '^src/extproc/wire/' },
      "It only encodes and decodes Envoy's messages.",
    ),
    forbid(
      'transport-knows-no-exchange',
      { path: '^src/extproc/transport/' },
      { path: '^src/', pathNot: '^src/(http2|extproc/(transport|wire))/' },
      'It transports messages; the state machine interprets them.',
    ),
    forbid(
      'grpc-only-at-the-edge',
      { path: '^(src|cli)', pathNot: '^src/extproc' },
      { path: 'node_modules/@grpc' },
      'Only the edge knows protobuf.',
    ),
    forbid(
      'roots-construct',
      { path: '^src/', pathNot: '^src/(serve|operate|offline|runtime|demo)' },
      { path: '^src/(serve|operate|offline)\\.ts$' },
      'Only the CLI and the worker entry import composition roots.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
};
