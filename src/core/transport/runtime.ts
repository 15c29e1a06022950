import { optionalModule } from '../../runtime/node-modules.js';

/** Name of this runtime if it can't run undici; undefined if it can. */
export function runtimeWithoutUndici(): string | undefined {
  // Bun replaces the package undici by a module of its own, whose agents can't dispatch.
  if (globalThis.process?.versions?.['bun'] !== undefined) return 'Bun';
  const navigator: unknown = Reflect.get(globalThis, 'navigator');
  if (Object(navigator).userAgent === 'Cloudflare-Workers') return 'Cloudflare Workers';
  // undici connects with its sockets.
  return optionalModule('node:net') === undefined ? 'this runtime' : undefined;
}
