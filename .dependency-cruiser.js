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
      'The page knows the API by its types, and nothing else of the gateway.',
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
      'They read what was asked and answered; who judges it, and who carries it, is not for them.',
    ),
    forbid(
      'inspect-knows-no-check',
      { path: '^src/inspect/' },
      { path: '^src/(checks|policy|extproc|runtime|envoy|admin|redis|serve|operate|offline)' },
      'It searches and masks texts; what is looked for, and what follows, is for checks to say.',
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
      'Leaves may be imported by anyone, so they import nobody.',
    ),
    forbid(
      'providers-are-pure',
      { path: '^src/providers' },
      {
        path: '^src/',
        pathNot:
          '^src/(add-all|errors|headers|turns|json|streams|text|inspect/walk|providers|pricing|mcp/message)',
      },
      'A provider file says how its dialect works and nothing else; long documents it reads as work, like the leaves.',
    ),
    forbid(
      'ioredis-only-in-stores',
      { path: '^(src|cli)', pathNot: '^src/(redis/|.*store\\.ts$|runtime/redis)' },
      { path: 'node_modules/ioredis' },
      'Redis is reached through src/redis and the store files.',
    ),
    forbid(
      'http2-knows-nobody',
      { path: '^src/http2/' },
      { path: '^src/', pathNot: '^src/http2/' },
      'HTTP/2 carries bytes; what they mean is for the edge to say.',
    ),
    forbid(
      'http2-only-at-the-edge',
      { path: '^(src|cli)/', pathNot: '^src/(http2|extproc)/' },
      { path: '^src/http2/' },
      'It is made for one peer, which only the edge has.',
    ),
    forbid(
      'phases-apart',
      { path: '^src/extproc/phases/' },
      { path: '^src/extproc/phases/' },
      'What two phases share is of the request, or of the reply.',
    ),
    forbid(
      'wire-knows-nobody',
      { path: '^src/extproc/wire/' },
      { path: '^src/', pathNot: '^src/extproc/wire/' },
      'Messages of Envoy as bytes and as objects, and nothing else.',
    ),
    forbid(
      'transport-knows-no-exchange',
      { path: '^src/extproc/transport/' },
      { path: '^src/', pathNot: '^src/(http2|extproc/(transport|wire))/' },
      'It carries messages; what they mean is for the state machine to say.',
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
      'Composition roots are imported by the CLI and the worker entry only.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js'] },
  },
};
