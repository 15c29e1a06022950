import { describe, expect, it } from 'vitest';
import { bank, dealer, rejection } from '../support/clients.js';

const FILE = 'https://bank.example/api/v1/events/auc_1/lots/lot_1/media/7';
const wrong = { colour: 5 };
const KEY = 'options.colour';

describe('an unknown option of a method', () => {
  const partner = () => dealer([]).client;
  const bankClient = () => bank([]).client;
  const handle = () => undefined;

  it.each<[call: string, known: string, use: () => unknown, path?: string]>([
    ['media.download', 'strict', () => partner().media.download(FILE, wrong as object)],
    ['media.save', 'cache', () => partner().media.save(FILE, '/nowhere', wrong as object)],
    ['media.saveAll', 'nameOf', () => partner().media.saveAll([FILE], '/nowhere', wrong as object)],
    ['media.prefetch', 'perLot', () => partner().media.prefetch([], wrong as never)],
    ['media.serve', 'cacheControl', () => partner().media.serve(FILE, undefined, wrong as object)],
    ['documents.save', 'lane', () => partner().documents.save('doc_1', '/nowhere', wrong as object)],
    ['recover', 'within', () => partner().recover(wrong as object)],
    ['close', 'within', () => partner().close(wrong as object)],
    ['intents.list', 'settledAfter', () => partner().intents.list(wrong as object), 'colour'],
    [
      'waitFor',
      'minInterval',
      () =>
        partner().waitFor(
          async () => 1,
          () => true,
          wrong as object,
        ),
    ],
    ['saleCases.waitUntilPaid', 'maxInterval', () => partner().saleCases.waitUntilPaid('s', wrong as object)],
    [
      'winnerUpdates.follow',
      'limit',
      () => partner().winnerUpdates.follow({ name: 'a', handle, ...wrong }),
      'colour',
    ],
    [
      'notifications.follow',
      'handlerTimeout',
      () => bankClient().notifications.follow({ name: 'a', handle, ...wrong }),
      'colour',
    ],
    [
      'retryOnConflict',
      'rounds',
      () =>
        partner().retryOnConflict(
          async () => ({ resource_version: 1 }),
          async () => 1,
          wrong as object,
        ),
    ],
    [
      'approvals.decide',
      'sink',
      () => bankClient().approvals.decide('s', () => 'hold' as never, wrong as object),
    ],
    ['approvals.run', 'maxCount', () => bankClient().approvals.run(() => 'hold' as never, wrong as object)],
    ['inventory.import', 'onInvalid', () => bankClient().inventory.import([], wrong as object)],
  ])('%s is refused, and the known ones are all named', async (call, known, use, path = KEY) => {
    const error = await rejection((async () => use())());
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      message: expect.stringMatching(
        new RegExp(
          `^${call.replace('.', '\\.')}: ${path.replace('.', '\\.')} is not an option; known options: .*\\b${known}\\b`,
        ),
      ),
    });
  });
});
