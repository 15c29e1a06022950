import { z } from 'zod';
import { expectedVersion, filledText, idempotencyKey, pathId } from '../../src/api/common.js';
import { type Resource, resource } from '../../src/api/operation.js';
import type { PlannedOperation } from '../../src/api/planned.js';
import { workflowRecord } from '../../src/api/records.js';
import { catalogueOf } from '../../tools/generate/catalogue.js';

/** A resource that no API has. What is generated from the real ones is checked in, and must not differ. */

const SampleData = z
  .object({ label: z.string().optional().describe('Label.') })
  .meta({ title: 'What is recorded of a sample.', section: 'Samples' });

const SampleRecord = workflowRecord({
  kind: 'sample',
  states: ['pending'],
  data: SampleData,
  what: 'a sample',
});

const sample = pathId.describe('Sample id.');
const body = z.strictObject({
  title: filledText.describe('Title.'),
  idempotency_key: idempotencyKey,
  expected_version: expectedVersion,
});
const facts = {
  scope: 'sales:read',
  availability: 'callable',
  section: 'Samples',
  summary: 'Does something to a sample.',
  params: { sample },
  success: [200],
  refusals: [],
  reply: SampleRecord,
} as const;
const read = { ...facts, id: 'A73', method: 'GET', effect: 'read', path: '/samples/{sample}' } as const;
const command = {
  ...facts,
  method: 'POST',
  effect: 'command',
  envelope: 'command',
  actors: ['bank'],
  body,
  versionFrom: { param: 'sample', kind: 'sample', field: 'resource_version' },
} as const;

export const saleSamples = resource('saleSamples', 'Samples of sales.', {
  get: { ...read, envelope: 'read' },
  download: { ...read, fixedQuery: { download: '1' }, envelope: 'binary' },
  decide: {
    ...command,
    id: 'A99',
    path: '/samples/{sample}/decisions/{step_number}',
    params: { sample, step_number: pathId.describe('Step.') },
  },
  revoke: { ...command, id: 'A98', path: '/samples/{sample}/revocations' },
  rename: { ...command, id: 'A97', method: 'PATCH', path: '/samples/{sample}' },
});

export const samples = { SampleData, SampleRecord, saleSamples };

/** The sample resource as a catalogue of its own. */
export const catalogue = catalogueOf({ 'sale-samples': samples }, [saleSamples], []);

/** A catalogue with one operation of the sample changed, or one more. */
export function catalogueWith(
  operations: Resource['operations'],
  planned: readonly PlannedOperation[] = [],
): typeof catalogue {
  const { name, summary, operations: known } = saleSamples;
  const changed = resource(name, summary, { ...known, ...operations });
  return catalogueOf({ 'sale-samples': { ...samples, saleSamples: changed } }, [changed], planned);
}
