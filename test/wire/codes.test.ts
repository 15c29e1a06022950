import { expect, it } from 'vitest';
import { NotFoundError } from '../../src/errors/api.js';
import { KEY } from '../support/clients.js';
import { callOf } from './case.js';
import { cases } from './cases/all.js';
import { codeRows } from './codes.js';
import { describeCodes } from './codes-suite.js';
import { perform } from './perform.js';
import { socketDriver } from './socket-driver.js';

describeCodes('on a real socket', socketDriver, {
  whole: [
    'bids.submit',
    'saleCases.decide',
    'documents.upload',
    'inventory.updateVehicle',
    'webhookSubscriptions.create',
    'lots.statusBatch',
    'events.get',
    'events.lots',
    'events.media',
  ],
  oneIn: 8,
});

it('a subscription that is not found says that its operation may not be open', async () => {
  await using driver = await socketDriver();
  const [create] = cases.filter(({ id }) => id === 'A13');
  if (create === undefined) throw new Error('No case for A13');
  const rows = codeRows.filter(({ status }) => status === 404);
  for (const caller of ['platform', 'bank'] as const) {
    for (const { answer } of rows) {
      const call = callOf(create, caller);
      const { error } = await perform({ driver, caller, call, answers: [answer], key: KEY });
      expect(error).toBeInstanceOf(NotFoundError);
      expect(error).toMatchObject({ nextStep: expect.stringContaining('not callable') });
    }
  }
  expect(rows).toHaveLength(2);
});
