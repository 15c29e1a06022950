import { API_PREFIX } from '../../src/api/common.js';
import type { PlannedOperation } from '../../src/api/planned.js';
import { page, table } from './markdown.js';

/** What the API text lists as planned, and how to call it the day it opens. */
export function renderPlanned(planned: readonly PlannedOperation[]): string {
  const groups = [...new Set(planned.map(({ group }) => group))];
  return page([
    '# Planned operations',
    `The API text lists these ${planned.length} operations as planned: they cannot be called, their scopes cannot be granted, and their fields and replies are undocumented. They have no methods here; \`plannedOperations\` holds them as data, and [\`openapi.json\`](../../openapi.json) has them with \`x-status: planned\`. Paths are relative to \`${API_PREFIX}\`.`,
    'When one of them becomes available, `client.request()` signs and sends it, PATCH and PUT included, and adds the idempotency key unless it is a GET:',
    EXAMPLE,
    ...groups.map((group) => {
      const own = planned.filter((operation) => operation.group === group);
      const rows = own.map(({ id, method, path }) => [id, `\`${method} ${path}\``]);
      return `## ${group}\n\n${table(['Id', 'HTTP'], rows)}`;
    }),
  ]);
}

const EXAMPLE = `\`\`\`ts ignore
const deposits = await client.request({ method: 'GET', path: '/deposits' });
\`\`\``;
