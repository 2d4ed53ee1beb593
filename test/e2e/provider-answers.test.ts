import { describe } from 'vitest';
import { forms } from './provider-answers/forms.ts';
import { headers } from './provider-answers/headers.ts';
import { redirects } from './provider-answers/redirects.ts';
import { streams } from './provider-answers/streams.ts';
import { useRig } from './provider-answers/rig.ts';

describe('answers of providers', () => {
  useRig();
  describe('redirects', redirects);
  describe('headers', headers);
  describe('their form', forms);
  describe('streams', streams);
});
