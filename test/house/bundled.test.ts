import { readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { describe, expect, it } from 'vitest';
import { importsOf, sourcesUnder, textOf } from '../support/sources.js';

const { dependencies, imports, peerDependencies, version } = JSON.parse(textOf('package.json'));
const sbom: Sbom = JSON.parse(textOf('dist/sbom.cdx.json'));
const installed: readonly string[] = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];

interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly purl: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly licenses: readonly { readonly license: { readonly id: string } }[];
  }[];
}

function packageOf(specifier: string): string {
  return /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}

/** Packages that sources import. */
function packagesIn(files: readonly string[]): string[] {
  const targets = files
    .flatMap(importsOf)
    .filter((target) => !target.startsWith('src/') && !isBuiltin(target));
  return [...new Set(targets.map(packageOf))];
}

describe('The code of other packages in the built package', () => {
  const names = sbom.components.map(({ name }) => name);

  it('is in an SBOM in CycloneDX: what ./csv and the command need, and nothing that is installed as a dependency', () => {
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { component: { purl: `pkg:npm/vehicle-auction-sdk@${version}` } },
    });
    const needed = packagesIn([...sourcesUnder('src/csv'), ...sourcesUnder('src/cli')]);
    const bundled = needed.filter((name) => !installed.includes(name));
    expect(bundled).toEqual(expect.arrayContaining(['commander', 'csv-parse', 'cli-table3']));
    expect(names).toEqual(expect.arrayContaining(bundled));
    expect(names.filter((name) => installed.includes(name))).toEqual([]);
  });

  it('has its version, licence and licence text', () => {
    const texts = textOf('dist/THIRD-PARTY-LICENSES.txt');
    const { packages } = JSON.parse(textOf('package-lock.json'));
    for (const { name, version, purl, licenses } of sbom.components) {
      // A package can be installed in several versions.
      const paths = Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`));
      const locked = paths.map((path) => ({
        version: packages[path].version,
        license: packages[path].license,
      }));
      expect(locked).toContainEqual({ version, license: licenses[0]?.license.id });
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect(texts).toContain(`${name} ${version}\n`);
    }
    expect(texts.split('\n---\n')).toHaveLength(names.length);
  });

  it('is all that is bundled: every other package is imported, and is a dependency or an optional peer', () => {
    const files = readdirSync('dist').filter((name) => /\.c?js$/.test(name));
    const specifiers = files.flatMap((file) => {
      const text = textOf(`dist/${file}`);
      return [...text.matchAll(/(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*["']([^"'\n]+)["']/g)].map(
        // A package that `imports` of package.json stands for, such as undici.
        ([, name = '']): string => imports[name]?.default ?? name,
      );
    });
    const packages = new Set(
      specifiers.filter((name) => /^[@a-z]/.test(name) && !isBuiltin(name)).map(packageOf),
    );
    const known = [...installed, '@colors', 'vehicle-auction-sdk'];
    expect([...packages].filter((name) => !known.includes(name) && !/\s/.test(name))).toEqual([]);
    expect([...packages]).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  });
});
