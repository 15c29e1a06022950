import { execFileSync } from 'node:child_process';
import { isBuiltin } from 'node:module';
import { createContext, runInContext } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import { expect, it } from 'vitest';
import { root } from '../support/sources.js';
import requests from '../vectors/signing.json' with { type: 'json' };
import deliveries from '../vectors/webhooks.json' with { type: 'json' };

/** Programs that use the built package where `node:crypto` is taken away, and print or return their signatures. */

const inputs = requests.map((vector) => ({
  method: vector.method,
  path: vector.path,
  query: vector.params,
  body: vector.body_base64,
  timestamp: vector.timestamp,
  nonce: vector.nonce,
  signingSecret: vector.secret,
}));
const expected = {
  signatures: requests.map(({ signature }) => signature),
  valid: deliveries.map(({ valid }) => valid),
};

/** Signs every request and verifies every delivery. It uses nothing but the language, `atob` and the package. */
const judge = `({ explainSignature, verifySignature }, inputs, deliveries) => {
  const bytesOf = (base64) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const isValid = (delivery) => {
    const headers = { 'Service-Timestamp': delivery.timestamp, 'Service-Signature': delivery.signature_header };
    const options = { secrets: delivery.secret, tolerance: delivery.tolerance_seconds * 1000, now: delivery.now * 1000 };
    try {
      verifySignature(bytesOf(delivery.raw_body_base64), headers, options);
      return true;
    } catch {
      return false;
    }
  };
  return {
    signatures: inputs.map((input) => explainSignature({ ...input, body: bytesOf(input.body) }).signature),
    valid: deliveries.map(isValid),
  };
}`;

/** As in a Node that was built without OpenSSL: neither import nor require nor getBuiltinModule finds the module. */
const withoutOpenSsl = `
  const { createRequire, register, Module } = process.getBuiltinModule('node:module');
  const { getBuiltinModule } = process;
  const isCrypto = (name) => /^(node:)?crypto$/.test(name);
  process.getBuiltinModule = (name) => (isCrypto(name) ? undefined : getBuiltinModule(name));
  const loadModule = Module._load;
  Module._load = (name, ...rest) => {
    if (isCrypto(name)) throw new Error('Node.js is not compiled with OpenSSL crypto support');
    return loadModule(name, ...rest);
  };
  const hooks = 'export const resolve = (name, context, next) => { if (/^(node:)?crypto$/.test(name)) throw new Error("no crypto"); return next(name, context); };';
  register('data:text/javascript,' + encodeURIComponent(hooks));
  const require = createRequire('${root}index.js');
`;

it.each([
  [
    'ESM',
    "const load = (name) => import(name === '' ? 'vehicle-auction-sdk' : 'vehicle-auction-sdk/' + name);",
  ],
  [
    'CommonJS',
    "const load = (name) => require(name === '' ? 'vehicle-auction-sdk' : 'vehicle-auction-sdk/' + name);",
  ],
])('The %s build signs and verifies on a Node without crypto, with @noble/hashes', (_, load) => {
  const program = `
    ${withoutOpenSsl}
    ${load}
    const isMissing = await import('node:crypto').then(() => false, () => true);
    const api = { ...(await load('')), ...(await load('webhooks')) };
    const judge = ${judge};
    const { inputs, deliveries } = ${JSON.stringify({ inputs, deliveries })};
    console.log(JSON.stringify({ isMissing, ...judge(api, inputs, deliveries) }));
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '-'], { cwd: root, input: program });
  expect(JSON.parse(output.toString())).toEqual({ isMissing: true, ...expected });
});

/** A module of Node that the bundle does not need leaves it; one that it needs fails where there is no `require`. */
const withoutBuiltins: Plugin = {
  name: 'without-builtins',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[a-z]/ }, ({ path }) =>
      path.startsWith('node:') || isBuiltin(path) ? { path, external: true, sideEffects: false } : undefined,
    );
  },
};

it('A bundle for a runtime that is not Node carries @noble/hashes, and signs with nothing from the runtime', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents:
        "export { explainSignature } from 'vehicle-auction-sdk'; export { verifySignature } from 'vehicle-auction-sdk/webhooks';",
      resolveDir: root,
    },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'browser',
    plugins: [withoutBuiltins],
    logLevel: 'error',
  });
  const [bundle] = outputFiles;
  const api = {};
  const context = createContext({
    module: { exports: api },
    exports: api,
    TextEncoder,
    TextDecoder,
    URL,
    atob,
    api,
  });
  runInContext(bundle?.text ?? '', context);
  const exported = runInContext('module.exports', context);
  const result = runInContext(`(${judge})`, context)(exported, inputs, deliveries);
  expect(runInContext('typeof process + typeof require + typeof Buffer', context)).toBe(
    'undefined'.repeat(3),
  );
  expect(JSON.parse(JSON.stringify(result))).toEqual(expected);
});
