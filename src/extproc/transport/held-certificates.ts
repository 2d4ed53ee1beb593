import type { experimental } from '@grpc/grpc-js';
import type { ListenTls } from './transport.ts';

type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

/**
 * Gives grpc-js its certificates, and renewed ones for new connections. grpc-js ignores what a listener is told before
 * the call that adds it returns.
 */
export class HeldCertificates implements experimental.CertificateProvider {
  #tls: ListenTls;
  readonly #caListeners = new Set<CaListener>();
  readonly #identityListeners = new Set<IdentityListener>();

  constructor(tls: ListenTls) {
    this.#tls = tls;
  }

  renew(tls: ListenTls): void {
    this.#tls = tls;
    for (const listener of this.#caListeners) listener(this.#ca());
    for (const listener of this.#identityListeners) listener(this.#identity());
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#caListeners.add(listener);
    queueMicrotask(() => listener(this.#ca()));
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#caListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    queueMicrotask(() => listener(this.#identity()));
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
  }

  #ca(): experimental.CaCertificateUpdate {
    return { caCertificate: Buffer.from(this.#tls.clientCa) };
  }

  #identity(): experimental.IdentityCertificateUpdate {
    return { certificate: Buffer.from(this.#tls.cert), privateKey: Buffer.from(this.#tls.key) };
  }
}
