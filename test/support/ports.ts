export { freePort } from '../../src/runtime/free-port.ts';
