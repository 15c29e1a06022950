import { parseArgs } from 'node:util';
import { bidModel } from '../test/model/bid.js';
import { commandModel } from '../test/model/command.js';
import { type Exploration, explore } from '../test/model/explore.js';
import { bidResults, commandResults, forms, refusalStatuses } from '../test/model/replies.js';

/**
 * The models of bids and commands, explored to the end: larger scopes, and refusals of every status and form.
 * `npm run test:model -- --only decision` explores those whose name contains the text.
 */

/** The tick after which nothing changes any more. */
const END = 6;

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
let wrong = 0;

async function run(name: string, exploration: () => Promise<Exploration>): Promise<void> {
  if (!name.includes(values.only)) return;
  const { states, moves, isComplete, broken } = await exploration();
  const isSound = isComplete && broken.length === 0;
  if (!isSound) wrong += 1;
  console.log(
    `${isSound ? 'sound' : 'WRONG'}  ${name}: ${states} states, ${moves} moves${isComplete ? '' : ', not to the end'}`,
  );
  for (const { promise, story } of broken) console.log([`  ${promise}`, ...story].join('\n    '));
}

const missing = forms.message(404);
await run('bid, two attempts', async () => {
  const results = await bidResults(missing);
  return explore(bidModel({ placeBy: 2, attempts: 2, end: END, luck: {}, results }));
});
await run('bid of a batch, two attempts, close', async () => {
  const results = await bidResults(missing);
  return explore(bidModel({ placeBy: undefined, attempts: 2, end: END, luck: { close: 1 }, results }));
});
await run('bid, two attempts, lie', async () => {
  const results = await bidResults(missing);
  return explore(bidModel({ placeBy: 2, attempts: 2, end: END, luck: { lie: 1 }, results }));
});
for (const status of refusalStatuses) {
  for (const form of ['message', 'page', 'nothing'] as const) {
    const bare = forms[form](status);
    const named = `refused with ${status}, ${form}`;
    await run(`bid ${named}`, async () => {
      const results = await bidResults(bare);
      return explore(
        bidModel({ placeBy: 2, attempts: 1, end: END, luck: { lie: 1, copy: 1, close: 1 }, results }),
      );
    });
    await run(`command ${named}`, async () => {
      const results = await commandResults('command', bare);
      return explore(commandModel({ kind: 'command', attempts: 2, end: END, luck: { copy: 1 }, results }));
    });
    await run(`command ${named}, lie`, async () => {
      const results = await commandResults('command', bare);
      const luck = { copy: 1, lie: 1 };
      return explore(commandModel({ kind: 'command', attempts: 2, end: END, hasCodes: true, luck, results }));
    });
    await run(`decision ${named}, lie, rival`, async () => {
      const results = await commandResults('decision', bare);
      const luck = { lie: 1, rival: 2 };
      return explore(commandModel({ kind: 'decision', attempts: 2, end: END, luck, results }));
    });
  }
}
process.exitCode = wrong === 0 ? 0 : 1;
