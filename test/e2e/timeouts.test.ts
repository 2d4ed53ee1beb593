import { describe } from 'vitest';
import { readTimeout, writeTimeout } from './timeouts/clients.ts';
import { upstreamTimeout, oddProviders } from './timeouts/providers.ts';
import { useRig } from './timeouts/rig.ts';

useRig();

describe('server.read_timeout bounds the receipt of the whole request', readTimeout);
describe('server.write_timeout bounds a client’s stall', writeTimeout);
describe('proxy.upstream_timeout', upstreamTimeout);
describe('a provider that', oddProviders);
