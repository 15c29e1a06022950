import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { plannedOperations } from '../../src/api/planned.js';
import { resources } from '../../src/api/service.js';
import { catalogueOf } from '../../tools/generate/catalogue.js';
import { service } from '../../tools/generate/load.js';
import { kebab } from '../../tools/generate/text.js';
import * as samples from './api/sale-samples.js';
import { catalogue, catalogueWith } from './samples.js';

describe('the service, as it is loaded', () => {
  it('has every resource, and every planned operation', () => {
    expect(service.resources).toBe(resources);
    expect(service.planned).toBe(plannedOperations);
    expect(service.modules).toEqual(expect.arrayContaining(['bids', 'sale-cases', 'webhook-events']));
  });

  it('knows models by the very schemas that operations use', () => {
    const reply = resources.find(({ name }) => name === 'bids')?.operations['submit']?.reply ?? z.never();
    expect(service.modelOf(reply)).toMatchObject({ name: 'BidReceipt', module: 'bids' });
  });
});

describe('a catalogue', () => {
  it('names files, calls and types', () => {
    expect(kebab('saleCases')).toBe('sale-cases');
    expect(catalogue.modules).toEqual(['sale-samples']);
    expect(catalogue.models.map(({ name }) => name)).toEqual(['SampleData', 'SampleLabels', 'SampleRecord']);
    expect(catalogue.methods.map(({ operation }) => operation.name)).toContain('saleSamples.decide');
    const types = ['SaleSamplesDecideBody', 'PlatformSaleSamplesBidBody'];
    expect(catalogue.typesOf('sale-samples')).toEqual(expect.arrayContaining(types));
  });

  it('knows a model that was described again', () => {
    expect(catalogue.modelOf(samples.SampleData.describe('Again.'))?.name).toBe('SampleData');
    expect(catalogue.modelOf(z.object({}))).toBeUndefined();
  });

  it.each(['SampleData', 'SaleSamplesDecideBody', 'DealerSaleSamplesBidBody'])(
    'refuses a second %s',
    (name) => {
      const other = { [name]: z.object({}) };
      expect(() => catalogueOf({ other, 'sale-samples': samples }, [samples.saleSamples], [])).toThrow(
        `${name} is declared twice: for other and for sale-samples`,
      );
    },
  );

  it('refuses one schema under two names', () => {
    const { SampleData } = samples;
    expect(() => catalogueOf({ a: { SampleData, Same: SampleData } }, [], [])).toThrow(
      'SampleData and Same are one schema',
    );
  });

  it('refuses a resource that its file does not export under its name, and one that is not listed', () => {
    const { saleSamples } = samples;
    const other = { saleSamples: { ...saleSamples, name: 'other' } };
    expect(() => catalogueOf({ samples }, [saleSamples], [])).toThrow('saleSamples of samples.ts');
    expect(() => catalogueOf({}, [saleSamples], [])).toThrow('saleSamples of sale-samples.ts');
    expect(() => catalogueOf({ 'sale-samples': other }, [saleSamples], [])).toThrow('do not agree');
    expect(() => catalogueOf({ 'sale-samples': samples }, [], [])).toThrow('saleSamples of sale-samples.ts');
  });

  it('refuses an operation that contradicts itself', () => {
    const { decide, get, rename } = samples.saleSamples.operations;
    const swapped = { step_number: decide.params.step_number, sample: decide.params.sample };
    expect(() => catalogueWith({ decide: { ...decide, params: swapped } })).toThrow(
      'saleSamples.decide must have params for /samples/{sample}/decisions/{step_number}, in that order',
    );
    const { versionFrom, ...unversioned } = rename;
    expect(() => catalogueWith({ rename: unversioned })).toThrow('saleSamples.rename must have versionFrom');
    expect(() => catalogueWith({ get: { ...get, versionFrom } })).toThrow(
      'saleSamples.get must have versionFrom',
    );
    expect(() =>
      catalogueWith({ rename: { ...rename, versionFrom: { ...versionFrom, param: 'id' } } }),
    ).toThrow('and name a param');
  });
});
