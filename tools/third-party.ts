import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

// What the package says about the packages whose code it bundles, each given as its folder in node_modules.

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly description?: string;
}

/** The licence texts of bundled packages, one after the other. */
export function licenceTexts(folders: readonly string[]): string {
  return folders.map(licenceOf).join('\n---\n\n');
}

function licenceOf(folder: string): string {
  const file = readdirSync(folder).find((each) => /^licen[sc]e/i.test(each));
  if (file === undefined) throw new Error(`${basename(folder)} has no licence text`);
  const { name, version } = manifestOf(folder);
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
}

/**
 * The SBOM of the built package, as CycloneDX JSON: the packages that it bundles, with their exact versions. Its
 * dependencies are not in it: they are installed next to it, where the package manager and its audit see them.
 */
export function sbomOf(root: string, folders: readonly string[]): string {
  const own = manifestOf(root);
  const components = folders.map((folder) => componentOf(manifestOf(folder)));
  const subject = componentOf(own);
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: subject },
    components,
    dependencies: [
      { ref: subject['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) },
    ],
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

function componentOf({ name, version, license, description }: Manifest) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    ...(description !== undefined && { description }),
    licenses: [{ license: { id: license } }],
    purl,
  };
}

function manifestOf(folder: string): Manifest {
  const manifest: Manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  if (typeof manifest.license !== 'string') throw new Error(`${manifest.name} names no licence`);
  return manifest;
}
