import type { JsonEdit } from '../../json/path.ts';
import type { Dialect, Endpoint } from '../dialect.ts';
import type { HostedTool, OutputLimit, RequestFacts } from '../request-facts.ts';
import { FREE_ANSWERS } from './answer-reader.ts';
import { requestedOutputs, storedPrompt, thinkingTokens } from './settings.ts';
import { arrayOf, namesIn, objectOf, optionalLimit, optionalString, requiredObject } from './fields.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { geminiAnswers, readGeminiUsage } from './gemini-answer.ts';
import { camelName, listAt, member, readGeminiContent, readGeminiContents } from './gemini-content.ts';
import { PromptCollector, ROLE } from './prompt-collector.ts';
import { addOtherMembers } from './media.ts';

export const geminiGenerate: Dialect = {
  name: 'gemini-generate',
  hasBody: true,
  request: (body, endpoint) => ({ ...readGenerate(body, endpoint), output: outputLimit(body) }),
  ...geminiAnswers,
};

/** `POST …/models/<model>:streamGenerateContent`: the path requests streaming, not the body. */
export const geminiStreamGenerate: Dialect = {
  ...geminiGenerate,
  name: 'gemini-stream-generate',
  acceptsComments: false,
  request: (body, endpoint) => ({ ...geminiGenerate.request(body, endpoint), stream: true }),
};

/** `POST …/models/<model>:countTokens`: contents, or a whole request to count, free of charge. */
export const geminiCountTokens: Dialect = {
  name: 'gemini-count-tokens',
  hasBody: true,
  request(body, endpoint) {
    const whole = member(body, 'generateContentRequest');
    if (whole === undefined) return readGenerate(body, endpoint);
    const outer = readGenerate(body, endpoint);
    const request = readGenerate(requiredObject(whole.value, whole.name), endpoint);
    const under = <T extends { readonly path: readonly (string | number)[] }>(found: T): T => ({
      ...found,
      path: [whole.name, ...found.path],
    });
    return {
      ...request,
      texts: [...outer.texts, ...request.texts.map(under)],
      media: [
        ...outer.media,
        ...request.media.map((medium) => (medium.source === 'url' ? under(medium) : medium)),
      ],
      unseenContent: outer.unseenContent || request.unseenContent,
      hostedTools: request.hostedTools.map((tool) => ({ ...tool, remove: tool.remove.map(under) })),
    };
  },
  ...FREE_ANSWERS,
};

export const geminiEmbed: Dialect = {
  name: 'gemini-embed',
  hasBody: true,
  request(body, endpoint) {
    const into = new PromptCollector();
    const models = [endpoint.model ?? ''];
    const batch = listAt(member(body, 'requests'), []);
    for (const { value, path } of [{ value: body, path: [] }, ...batch]) {
      const request = requiredObject(value, 'requests');
      addModel(models, request);
      const content = member(request, 'content');
      if (content) readGeminiContent(into, 'user', content.value, [...path, content.name]);
      into.addTextsIn(ROLE.userText, request.title, [...path, 'title']);
    }
    return into.facts(models);
  },
  answer: (body) => ({ usage: readGeminiUsage(objectOf(body).usageMetadata), texts: [] }),
  stream: () => undefined,
};

function readGenerate(body: JsonObject, endpoint: Endpoint): RequestFacts {
  const into = new PromptCollector();
  const system = member(body, 'systemInstruction');
  if (system) readGeminiContent(into, 'system', system.value, [system.name]);
  readGeminiContents(into, member(body, 'contents'), []);
  const { names, hostedTools } = readTools(into, body);
  const config = generationConfig(body);
  addOtherMembers(into, body, (name) => NOT_TEXT.has(camelName(name)));
  if (member(body, 'cachedContent') || member(body, 'continuationToken')) into.unseenContent = true;
  const models = [endpoint.model ?? ''];
  addModel(models, body);
  const tier = member(body, 'serviceTier')?.value;
  return {
    ...into.facts(models),
    tools: names,
    hostedTools,
    choices: Math.max(1, readCount(config?.value, 'candidateCount') ?? 1),
    ...requestedOutputs(config?.value),
    ...thinkingTokens(config?.value),
    ...storedPrompt(body),
    ...(tier === undefined || isCheapTier(tier)
      ? {}
      : { unbounded: `serviceTier ${JSON.stringify(tier).slice(0, 40)}` }),
  };
}

/** Members that are read elsewhere, or that steer the model without adding prompt text. */
const NOT_TEXT = namesIn(
  'contents systemInstruction tools toolConfig safetySettings cachedContent continuationToken',
  'serviceTier labels store model generateContentRequest',
);

function isCheapTier(tier: unknown): boolean {
  return typeof tier === 'string' && /^(unspecified|standard|flex)$/i.test(tier);
}

/** Adds a model named in the body, which is judged like the model in the path. */
function addModel(models: string[], body: JsonObject): void {
  const name = optionalString(body, 'model')?.replace(/^models\//, '');
  if (name !== undefined && !models.includes(name)) models.push(name);
}

interface Config {
  readonly name: string;
  readonly value: JsonObject;
}

function generationConfig(body: JsonObject): Config | undefined {
  const found = member(body, 'generationConfig');
  return found && { name: found.name, value: requiredObject(found.value, found.name) };
}

function readCount(config: JsonObject | undefined, camel: string): number | undefined {
  const found = config && member(config, camel);
  return found && optionalLimit({ [found.name]: found.value }, found.name);
}

/** `maxOutputTokens` limits thoughts and answer together. */
function outputLimit(body: JsonObject): OutputLimit {
  const config = generationConfig(body);
  const name = (config && member(config.value, 'maxOutputTokens')?.name) ?? 'maxOutputTokens';
  return {
    tokens: readCount(config?.value, 'maxOutputTokens'),
    set: (tokens): JsonEdit[] =>
      config
        ? [{ kind: 'set', path: [config.name, name], value: tokens }]
        : [{ kind: 'set', path: ['generationConfig'], value: { maxOutputTokens: tokens } }],
  };
}

/** Tool members that the client runs. Google runs all others. */
const CLIENT_RUN: ReadonlySet<string> = new Set(['functionDeclarations', 'computerUse']);

function readTools(into: PromptCollector, body: JsonObject) {
  const names: string[] = [];
  const hostedTools: HostedTool[] = [];
  for (const { value, path } of listAt(member(body, 'tools'), [])) {
    const tool = requiredObject(value, 'tools');
    into.addTextsIn(ROLE.toolDefinition, tool, path);
    const declared = member(tool, 'functionDeclarations');
    const members = Object.keys(tool);
    for (const name of members) {
      const type = camelName(name);
      if (type === 'computerUse') names.push('computer_use');
      if (CLIENT_RUN.has(type)) continue;
      const remove: JsonEdit[] = [{ kind: 'remove', path: members.length === 1 ? path : [...path, name] }];
      // Function-calling modes can require only the client's own functions.
      hostedTools.push({ type, remove, forced: false });
    }
    for (const declaration of arrayOf(declared?.value)) {
      if (isObject(declaration) && typeof declaration.name === 'string') names.push(declaration.name);
    }
  }
  return { names, hostedTools };
}
