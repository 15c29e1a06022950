import { expect, expectTypeOf, it } from 'vitest';
import type * as sdk from '../../src/index.js';
import { sourcesUnder, textOf } from '../support/sources.js';

it('The entry exports the types and classes of every generated file', () => {
  const declared = sourcesUnder('src/generated').flatMap((file) =>
    [...textOf(file).matchAll(/^export (?:interface|type|abstract class|class) (\w+)/gm)].map(
      ([, name]) => name,
    ),
  );
  const listed = textOf('src/generated/index.ts').match(/\w+(?=,| })/g);
  expect(declared.length).toBeGreaterThan(130);
  expect([...(listed ?? [])].sort()).toEqual(declared.sort());
  expect(textOf('src/index.ts')).toContain("export type * from './generated/index.js';");
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
