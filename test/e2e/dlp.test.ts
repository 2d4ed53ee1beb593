import { describe } from 'vitest';
import { masked, quarantined } from './dlp/answers.ts';
import { streams } from './dlp/streams.ts';
import { settings, foldedCase, requests } from './dlp/settings.ts';
import { useRig } from './dlp/rig.ts';

useRig();

describe('DLP, action mask (default for personal data)', masked);
describe('DLP, action quarantine (default for secrets)', quarantined);
describe('DLP, SSE streams', streams);
describe('server.dlp settings', settings);
describe('text that only a provider that folds case would read', foldedCase);
describe('server.dlp.requests', requests);
