import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Adds to package-lock.json the binaries of other platforms that `npm install` left out because the registry in reach
 * has them not: `npm ci` refuses a lock file without them, on every platform. Run it after `npm install`.
 */

interface Entry {
  version?: string;
  license?: string;
  optionalDependencies?: Record<string, string>;
  [key: string]: unknown;
}

const path = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, Entry> };
const { '': project = {}, ...packages } = lock.packages;

const added: string[] = [];
for (const parent of Object.values(packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (key in packages) continue;
    packages[key] = binaryOf(name, version, parent);
    added.push(name);
  }
}

lock.packages = {
  '': project,
  ...Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1))),
};
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? 'The lock file is complete.' : `Added ${added.join(', ')}`);

/** Binaries are named after their platform: `@scope/tool-os-cpu` and perhaps `-abi`. */
function binaryOf(name: string, version: string, parent: Entry): Entry {
  const match = /-(android|darwin|freebsd|linux|openbsd|openharmony|win32)-([a-z0-9]+)(?:-([a-z]+))?$/.exec(
    name,
  );
  if (match === null || !/^\d/.test(version))
    throw new Error(`Not a platform's binary at an exact version: ${name} ${version}`);
  const [, os = '', cpu = '', abi = ''] = match;
  return {
    version,
    cpu: [cpu],
    dev: true,
    ...(os === 'linux' && { libc: [abi.startsWith('musl') ? 'musl' : 'glibc'] }),
    ...(parent.license !== undefined && { license: parent.license }),
    optional: true,
    os: [os],
  };
}
