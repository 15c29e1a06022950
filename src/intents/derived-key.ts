/** Derives an idempotency key: the UUID v5 of the parts in a namespace, the same in every process and on every host. */
export type DeriveKey = (namespace: string, parts: readonly unknown[]) => string;

let loading: Promise<DeriveKey> | undefined;

/** Loads the package that derives keys, once: only `runOnce`, approvals and batches need it. */
export function loadDeriveKey(): Promise<DeriveKey> {
  loading ??= import('uuid').then(
    ({ v5 }) =>
      (namespace, parts) =>
        v5(JSON.stringify(parts), namespace),
  );
  return loading;
}
