import { expect, it } from 'vitest';
import { checkReply } from '../../src/api/check.js';
import { allocationRecordSchema } from '../../src/generated/payments.js';

const record = {
  id: 'al_1',
  kind: 'allocation',
  state: 'allocated',
  resource_version: 1,
  data: { amount_paise: 46_500_000 as unknown },
};

it.each([465_000.5, '46500000.5', true, 2 ** 60])(
  'An amount in paise is never guessed at, although the field is optional: %j',
  (amount) => {
    expect(checkReply(allocationRecordSchema, record).issues).toEqual([]);
    const { issues } = checkReply(allocationRecordSchema, { ...record, data: { amount_paise: amount } });
    expect(issues).toMatchObject([{ path: ['data', 'amount_paise'], tolerable: false }]);
  },
);
