import { expect, it } from 'vitest';
import { assertOrigin } from '../../../src/mcp/cross-origin.ts';

const ALLOWED = ['https://app.example', 'http://localhost:3000'];

it.each([undefined, 'https://app.example', 'http://localhost:3000'])(
  'a request of origin %s is admitted',
  (origin) => {
    expect(() => assertOrigin(origin, 'gateway.example', ALLOWED)).not.toThrow();
  },
);

it.each([
  'https://evil.example',
  'https://app.example.evil',
  'https://app.example:444',
  'https://app.example/',
  'HTTPS://APP.EXAMPLE',
  'http://app.example',
  'https://app.example, https://app.example',
  'null',
  '',
])('a request of origin %j is refused', (origin) => {
  expect(() => assertOrigin(origin, 'gateway.example', ALLOWED)).toThrow(
    expect.objectContaining({ type: 'policy_denied' }),
  );
});
