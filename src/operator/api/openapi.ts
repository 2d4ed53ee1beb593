import * as z from 'zod';
import type { Route } from './route.ts';
import { problem } from './schemas/people.ts';

type Json = Readonly<Record<string, unknown>>;

/** Describes the routes as OpenAPI 3.1, from the schemas that validate them. */
export function openApi(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'AI firewall gateway: operator API', version },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Problem: schemaOf(problem, 'output') },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: '__Host-gateway-session' },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function operation({ method, path, summary, role, owners, query, body, answer }: Route): Json {
  const success =
    answer === undefined
      ? { description: 'Success without a JSON body' }
      : { description: summary, content: { 'application/json': { schema: schemaOf(answer, 'output') } } };
  return {
    summary,
    operationId: operationId(method, path),
    parameters: [...pathParameters(path), ...queryParameters(query), ...changeHeaders(method, role)],
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } },
    }),
    security: role === 'anyone' ? [] : [{ session: [] }, { token: [] }],
    ...(role !== 'anyone' && { 'x-role': role, 'x-owners': owners }),
    responses: {
      ...(answer === undefined ? { '2XX': success } : { '200': success }),
      default: {
        description: 'A problem',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return described;
}

/** `GET /api/keys/{id}` becomes `get_keys_id`. */
function operationId(method: string, path: string): string {
  const words = path.replace(/^\/api\//, '').match(/[A-Za-z0-9]+/g) ?? [];
  return [method.toLowerCase(), ...words].join('_');
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

const CHANGE_HEADERS: readonly Json[] = [
  {
    name: 'X-CSRF-Token',
    in: 'header',
    description: 'From `GET /api/me`; not needed with an API token.',
    schema: { type: 'string' },
  },
  {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Must be the same for all attempts at one change. Within 24 hours, the change is made only once.',
    schema: { type: 'string', maxLength: 128 },
  },
];

function changeHeaders(method: Route['method'], role: Route['role']): readonly Json[] {
  return method === 'GET' || role === 'anyone' ? [] : CHANGE_HEADERS;
}

function queryParameters(query: z.ZodType | undefined): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(query, 'input') as {
    readonly properties?: Json;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
}
