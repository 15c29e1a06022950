import { z } from 'zod';
import { type Resource, resource } from '../../src/api/operation.js';
import type { PlannedOperation } from '../../src/api/planned.js';
import { catalogueOf, type EventType } from '../../tools/generate/catalogue.js';
import * as samples from './api/sale-samples.js';

export const planned: readonly PlannedOperation[] = [
  { id: 'A12', method: 'GET', path: '/changes', group: 'Later' },
  { id: 'A66', method: 'PUT', path: '/changes/{change}/parts/{part}', group: 'Later' },
];

const eventTypes: readonly EventType[] = [
  { type: 'sample.data_changed', payload: samples.SampleData },
  { type: 'sample.removed' },
  { type: 'sample.check', payload: z.object({ challenge: z.string() }) },
];

/** The sample resource as a catalogue of its own. */
export const catalogue = catalogueOf({ 'sale-samples': samples }, [samples.saleSamples], planned, eventTypes);

/** A catalogue with one operation of the sample changed, or one more. */
export function catalogueWith(
  operations: Resource['operations'],
  others: readonly PlannedOperation[] = [],
): typeof catalogue {
  const { name, summary, operations: known } = samples.saleSamples;
  const saleSamples = resource(name, summary, { ...known, ...operations });
  return catalogueOf({ 'sale-samples': { ...samples, saleSamples } }, [saleSamples], others);
}
