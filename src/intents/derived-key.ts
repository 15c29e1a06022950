/** Derives an idempotency key: the UUID v5 of the parts in a namespace, the same in every process and on every host. */
export type DeriveKey = (namespace: string, parts: readonly unknown[]) => string;

/** Loads what derives keys, which only `runOnce`, approvals and batches need. */
export async function loadDeriveKey(): Promise<DeriveKey> {
  const { v5 } = await import('uuid');
  return (namespace, parts) => v5(JSON.stringify(parts), namespace);
}
