import { expectSame } from './check.js';
import type { Cases } from './setting.js';

/** Cases about how far followers are. */
export const cursors: Cases = {
  'cursors: a cursor is saved only over the version that was read, in each account': async (opened) => {
    const save = (version: number, value: string, account?: string) =>
      opened.do((tx) => tx.cursors.save('winners', version, { value, owner: 'host/1#1' }), account);
    expectSame('nothing yet', await opened.do((tx) => tx.cursors.get('winners')), undefined);
    expectSame('over a version that is not there', await save(3, 'x'), false);
    expectSame('a new one', await save(0, 'one'), true);
    expectSame('a new one again', await save(0, 'other'), false);
    expectSame('over its version', await save(1, 'two'), true);
    expectSame('over an old version', await save(1, 'three'), false);
    expectSame('in another account', await save(0, 'elsewhere', 'sandbox'), true);
    const stored = await opened.do((tx) => tx.cursors.get('winners'));
    expectSame('the value', stored?.value, 'two');
    expectSame('the version', stored?.version, 2);
    expectSame('the owner', stored?.owner, 'host/1#1');
  },
  'cursors: an owner goes with the value that it had, and only the owner is touched': async (opened) => {
    await opened.do((tx) => tx.cursors.save('inbox', 0, { value: 'one', owner: 'host/1#1' }));
    await opened.do((tx) => tx.cursors.touch('inbox', 'host/2#1'));
    await opened.do((tx) => tx.cursors.touch('inbox', 'host/1#1'));
    const touched = await opened.do((tx) => tx.cursors.get('inbox'));
    expectSame('the version after a touch', touched?.version, 1);
    expectSame('its silence', (touched?.ownerSilentMs ?? -1) >= 0, true);
    await opened.do((tx) => tx.cursors.save('inbox', 1, { value: undefined, owner: undefined }));
    const left = await opened.do((tx) => tx.cursors.get('inbox'));
    expectSame('no owner', left?.owner, undefined);
    expectSame('no value', left?.value, undefined);
  },
};
