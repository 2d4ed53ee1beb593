import { fileURLToPath } from 'node:url';
import { loadPackageDefinition, type GrpcObject, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

function load(file: string): GrpcObject {
  const path = fileURLToPath(new URL(`../../proto/${file}`, import.meta.url));
  return loadPackageDefinition(
    loadSync(path, { keepCase: true, longs: Number, enums: Number, defaults: false, oneofs: true }),
  );
}

function service(root: GrpcObject, path: readonly string[]): ServiceClientConstructor {
  let at: unknown = root;
  for (const name of path) at = (at as Record<string, unknown>)[name];
  return at as ServiceClientConstructor;
}

/** The two gRPC services as proto-loader reads them from `proto`: a second opinion on every byte of ours. */
export function loadServices(): {
  readonly processor: ServiceClientConstructor;
  readonly health: ServiceClientConstructor;
} {
  return {
    processor: service(load('ext_proc.proto'), ['envoy', 'service', 'ext_proc', 'v3', 'ExternalProcessor']),
    health: service(load('health.proto'), ['grpc', 'health', 'v1', 'Health']),
  };
}
