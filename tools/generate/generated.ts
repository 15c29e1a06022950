import { type Catalogue, resourceOf } from './catalogue.js';
import { classesOf, renderClasses } from './classes.js';
import { renderRoutes, renderSchemas, schemaName } from './routes.js';
import { AMOUNT, FILE_CONTENT } from './schema-type.js';
import { importType, importValues } from './text.js';
import { renderTypes } from './types.js';

/**
 * `src/generated`: a file per resource with its types, routes and classes; all routes;
 * and in `index.ts` what the package exports of them.
 */
export function renderGenerated(catalogue: Catalogue): Map<string, string> {
  const { modules, resources } = catalogue;
  const files = new Map(modules.map((module) => [module, renderModule(module, catalogue)]));
  const routes = resources.map(({ name }) => `...Object.values(${name}),\n`).join('');
  files.set(
    'routes',
    `${renderImports(catalogue)}/** Every operation that has a method. */\nexport const routes: readonly Route[] = [\n${routes}];\n`,
  );
  files.set('index', modules.map((module) => renderExport(module, catalogue)).join(''));
  return new Map([...files].map(([name, text]) => [`src/generated/${name}.ts`, text]));
}

function renderModule(module: string, catalogue: Catalogue): string {
  const resource = resourceOf(catalogue, module);
  return [
    renderImports(catalogue, module),
    ...renderTypes(module, catalogue),
    ...renderSchemas(module, catalogue),
    ...(resource === undefined
      ? []
      : [renderRoutes(resource, catalogue), ...renderClasses(resource, catalogue)]),
  ].join('\n');
}

/** Types of `ports/caller` that methods use. */
const callerTypes = [
  ...['BidOptions', 'BinaryReply', 'BodyFor', 'CallOptions', 'Caller', 'InputFor', 'MutationOptions'],
  ...['VersionedRecord', 'VersionedVehicle'],
];

/** Every import that a file may need: the formatter removes those that this file does not use. */
function renderImports(catalogue: Catalogue, module?: string): string {
  const others = catalogue.modules.filter((other) => other !== module);
  return [
    importType(['ObjectSchema'], '../api/check.js'),
    importType([AMOUNT], '../api/formats.js'),
    importType(['PartnerType', 'Route'], '../api/operation.js'),
    importType(callerTypes, '../ports/caller.js'),
    importType([FILE_CONTENT], '../ports/file-content.js'),
    importType(['CursorPager', 'Pager'], '../ports/list.js'),
    ...others.map((other) => importType(catalogue.typesOf(other), `./${other}.js`)),
    ...others.map((other) => importValues(valuesOf(other, catalogue), `./${other}.js`)),
  ].join('');
}

function valuesOf(module: string, catalogue: Catalogue): string[] {
  const schemas = catalogue.models.filter((model) => model.module === module).map(schemaName);
  const resource = resourceOf(catalogue, module);
  return [...schemas, ...(resource === undefined ? [] : [resource.name]), ...classNames(module, catalogue)];
}

function classNames(module: string, catalogue: Catalogue): string[] {
  const resource = resourceOf(catalogue, module);
  return resource === undefined ? [] : classesOf(resource).map(({ name }) => name);
}

function renderExport(module: string, catalogue: Catalogue): string {
  const names = [...catalogue.typesOf(module), ...classNames(module, catalogue)].sort();
  return `export type { ${names.join(', ')} } from './${module}.js';\n`;
}
