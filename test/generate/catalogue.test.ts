import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogueOf } from '../../tools/generate/catalogue.js';
import { catalogue, catalogueWith, samples } from './samples.js';

describe('a catalogue', () => {
  it('knows a model that was described again', () => {
    expect(catalogue.modelOf(samples.SampleData.describe('Again.'))?.name).toBe('SampleData');
    expect(catalogue.modelOf(z.object({}))).toBeUndefined();
  });

  it.each(['SampleData', 'SaleSamplesDecideBody'])('refuses a second %s', (name) => {
    const other = { [name]: z.object({}) };
    expect(() => catalogueOf({ other, 'sale-samples': samples }, [samples.saleSamples], [])).toThrow(
      `${name} is declared twice: for other and for sale-samples`,
    );
  });

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
    expect(() => catalogueWith({ rename: unversioned })).toThrow('saleSamples.rename must take versionFrom');
    expect(() => catalogueWith({ get: { ...get, versionFrom } })).toThrow(
      'saleSamples.get must take versionFrom',
    );
    expect(() =>
      catalogueWith({ rename: { ...rename, versionFrom: { ...versionFrom, param: 'id' } } }),
    ).toThrow('from a param');
  });
});
