/** `bids` → `Bids`. */
export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `idempotency_key` → `idempotencyKey`. */
export function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `saleCases` → `sale-cases`, the file of a resource. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export function quoted(values: Iterable<string>): string {
  return [...values].map((value) => `\`${value}\``).join(', ');
}

/** By code units, so that no locale moves anything. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
