export * from './dialect.ts';
export { PROVIDER_NAMES, type Provider, type ProviderName } from './registry.ts';
