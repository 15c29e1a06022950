import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { Narrator } from './narrator.js';
import { tellStory } from './story.js';

const colour = process.stdout.isTTY === true && !process.env['NO_COLOR'];
const narrator = new Narrator((line) => console.log(line), colour);

try {
  await using sandbox = await startSandbox();
  narrator.title('A first bid', `over real HTTP, against the embedded sandbox at ${sandbox.baseUrl}`);
  await tellStory(sandbox, narrator);
  narrator.title(
    'Everything held.',
    'Your turn: README.md has the first ten lines of your own, docs/getting-started.md the rest.',
  );
  console.log('');
} catch (error) {
  console.error('\n  Something is off:', error);
  process.exitCode = 1;
}
