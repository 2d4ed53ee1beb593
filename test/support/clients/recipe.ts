/** The source of a client, which also determines what runs it: Node, Python or Go. */
export type ClientKind = 'npm' | 'pypi' | 'go';

/** One version of a client, and its companion packages. */
export interface ClientRecipe {
  readonly kind: ClientKind;
  /** Its name in the registry: `openai`, `@google/genai`, `github.com/openai/openai-go/v3`. */
  readonly name: string;
  readonly version: string;
  /** More packages in the same folder, pinned in the registry's own notation: `httpx==0.27.2`, `zod@4.6.7`. */
  readonly with: readonly string[];
  /** npm only: the package downloads or links a part of itself during its installation. */
  readonly installScripts?: boolean;
  /** npm only: versions of the package's own dependencies. */
  readonly overrides?: Readonly<Record<string, string>>;
}

/** `openai 3.54.0 (pypi)`, used in test titles. */
export function clientTitle({ kind, name, version }: ClientRecipe): string {
  return `${name} ${version} (${kind})`;
}

export function npm(
  name: string,
  version: string,
  beside: readonly string[] = [],
  installScripts = false,
): ClientRecipe {
  return { kind: 'npm', name, version, with: beside, ...(installScripts && { installScripts }) };
}

export function pypi(name: string, version: string, beside: readonly string[] = []): ClientRecipe {
  return { kind: 'pypi', name, version, with: beside };
}

/** A Go module; `version` as in the module proxy, with its `v`. */
export function go(name: string, version: string, beside: readonly string[] = []): ClientRecipe {
  return { kind: 'go', name, version, with: beside };
}
