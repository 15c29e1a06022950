import { ConfigurationError } from '../errors/local.js';

/** The modules of Node that the clients and webhooks use. None is imported: runtimes without it would not load the SDK. */
interface NodeModules {
  'node:async_hooks': typeof import('node:async_hooks');
  'node:crypto': typeof import('node:crypto');
  'node:diagnostics_channel': typeof import('node:diagnostics_channel');
  'node:fs': typeof import('node:fs');
  'node:fs/promises': typeof import('node:fs/promises');
  'node:net': typeof import('node:net');
  'node:os': typeof import('node:os');
  'node:path': typeof import('node:path');
  'node:stream': typeof import('node:stream');
  'node:tls': typeof import('node:tls');
  'node:url': typeof import('node:url');
  'node:util': typeof import('node:util');
  'node:zlib': typeof import('node:zlib');
}

/** A module of Node; undefined if this runtime does not have it. */
export function optionalModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] | undefined {
  return globalThis.process?.getBuiltinModule?.<keyof NodeModules & Name>(name);
}

/** A module of Node. If this runtime does not have it, calling any of its functions throws a `ConfigurationError`. */
export function nodeModule<Name extends keyof NodeModules>(name: Name): NodeModules[Name] {
  return optionalModule(name) ?? missingModule(name);
}

function missingModule<Module extends object>(name: string): Module {
  return new Proxy<Module>(Object.create(null), {
    get: (_, key) =>
      // A function, not an arrow function: some of the names are classes, which stand on the right of `instanceof`.
      function missing() {
        throw missingApi(`${name} (${String(key)})`);
      },
  });
}

/** The error of a call that needs an API which this runtime does not have. */
export function missingApi(name: string): ConfigurationError {
  return new ConfigurationError('runtime', `does not have ${name}, which this call needs`, {
    nextStep: 'Make this call on a runtime that has it; Cloudflare Workers need the flag nodejs_compat.',
  });
}
