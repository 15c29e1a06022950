import { expect, expectTypeOf, it } from 'vitest';
import type * as sdk from '../../src/index.js';
import { sourcesUnder, textOf } from '../support/sources.js';

it('The entry exports every generated file: models, bodies, queries, resources', () => {
  // Clients extend these two; a user meets their members alone.
  const sets = ['src/resources/bank.ts', 'src/resources/partner.ts'];
  const generated = [...sourcesUnder('src/models'), ...sourcesUnder('src/resources')];
  const lines = generated
    .filter((file) => !sets.includes(file))
    .map((file) => `export type * from '${file.replace(/^src/, '.').replace(/ts$/, 'js')}';`);
  expect(lines.length).toBeGreaterThan(40);
  expect(textOf('src/index.ts').split('\n')).toEqual(expect.arrayContaining(lines));
});

it('The types of resources that are exported are those that the clients have', () => {
  type Partner = sdk.PartnerClient<'platform'>;
  expectTypeOf<Partner['bids']>().toEqualTypeOf<sdk.PartnerBids<'platform'>>();
  expectTypeOf<Partner['lots']>().toEqualTypeOf<sdk.PartnerLots>();
  expectTypeOf<Partner['saleCases']>().toEqualTypeOf<sdk.PartnerSaleCases>();
  expectTypeOf<Partner['paymentReports']>().toEqualTypeOf<sdk.PartnerPaymentReports>();
  expectTypeOf<Partner['notifications']>().toEqualTypeOf<sdk.PartnerNotifications>();
  expectTypeOf<Partner['winnerUpdates']>().toEqualTypeOf<sdk.WinnerUpdates>();
  expectTypeOf<Partner['documents']>().toEqualTypeOf<sdk.Documents>();
  expectTypeOf<Partner['refunds']>().toEqualTypeOf<sdk.Refunds>();
  expectTypeOf<sdk.BankClient['saleCases']>().toEqualTypeOf<sdk.BankSaleCases>();
  expectTypeOf<sdk.BankClient['paymentReports']>().toEqualTypeOf<sdk.BankPaymentReports>();
  expectTypeOf<sdk.BankClient['notifications']>().toEqualTypeOf<sdk.Notifications>();
});
