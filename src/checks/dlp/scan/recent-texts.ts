const MAX_TEXTS = 64;
const MAX_CHARS = 256;

/** Short texts that came lately: at most two generations of 64. Cheaper than a list in order of use. */
export class RecentTexts {
  #young = new Set<string>();
  #old = new Set<string>();

  has(text: string): boolean {
    if (this.#young.has(text)) return true;
    if (!this.#old.has(text)) return false;
    this.add(text);
    return true;
  }

  add(text: string): void {
    if (text.length > MAX_CHARS) return;
    if (this.#young.size === MAX_TEXTS) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(text);
  }
}
