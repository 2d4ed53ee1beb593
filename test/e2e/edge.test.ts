import { describe } from 'vitest';
import { credentials, lockAndRisk } from './edge/credentials.ts';
import { paths, bodies, modelNames } from './edge/requests.ts';
import { headers, host } from './edge/headers.ts';
import { connections, answers } from './edge/answers.ts';
import { useRig } from './edge/rig.ts';

useRig();

describe('credentials', credentials);
describe('lock and risk, as stored in Redis', lockAndRisk);
describe('paths and methods', paths);
describe('bodies', bodies);
describe('model names', modelNames);
describe('headers', headers);
describe('the host', host);
describe('connections', connections);
describe('answers', answers);
