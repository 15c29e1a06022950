import { API_PREFIX } from '../../src/api/common.js';
import type { Catalogue } from './catalogue.js';
import { anchor, page, table } from './markdown.js';
import { kebab } from './names.js';
import { renderCodes, renderUnknowns } from './reference-lists.js';
import { renderModelsPage } from './reference-models.js';
import { renderPlanned } from './reference-planned.js';
import { renderResourcePage } from './reference-resource.js';
import { hasTextId, targetOf, whoMayCall } from './wire.js';

/** `docs/reference/*.md` and `docs/open-questions.md`. */
export function renderReference(catalogue: Catalogue): Map<string, string> {
  const files = new Map(
    catalogue.resources.map((resource) => [
      `docs/reference/${kebab(resource.name)}.md`,
      renderResourcePage(resource, catalogue),
    ]),
  );
  files.set('docs/reference/README.md', renderIndex(catalogue));
  files.set('docs/reference/models.md', renderModelsPage(catalogue));
  files.set('docs/reference/codes.md', renderCodes());
  files.set('docs/reference/planned.md', renderPlanned(catalogue.planned));
  files.set('docs/open-questions.md', renderUnknowns());
  return files;
}

function renderIndex({ resources, methods, planned }: Catalogue): string {
  const blocks = resources.map((resource) => {
    const file = `${kebab(resource.name)}.md`;
    const rows = methods
      .filter((method) => method.resource === resource)
      .map((method) => {
        const { operation } = method;
        const open = operation.availability === 'documented' ? ' Not open yet.' : '';
        return [
          `[\`${operation.name}\`](${file}#${anchor(operation.name)})`,
          hasTextId(operation.id) ? operation.id : '',
          `\`${operation.method} ${targetOf(operation)}\``,
          whoMayCall(operation.actors) ?? 'not stated',
          operation.summary + open,
        ];
      });
    return `## [${resource.name}](${file})\n\n${resource.summary}\n\n${table(['Method', 'Id', 'HTTP', 'For', 'What it does'], rows)}`;
  });
  return page([
    '# Reference',
    `Paths are relative to \`${API_PREFIX}\`; ids are those of the API text, if it gives one. See also [models](models.md) for objects, [codes](codes.md) for error codes, and [planned](planned.md) for the ${planned.length} operations that are not available yet.`,
    ...blocks,
  ]);
}
