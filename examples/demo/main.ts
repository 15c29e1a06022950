import { parseArgs } from 'node:util';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { Narrator } from './narrator.js';
import { tellStory } from './story.js';

/** `--platform` lives it as a platform, for one of its buyers; `--prefix /index.php` behind a front controller. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { platform: { type: 'boolean' }, prefix: { type: 'string' } } });
  const colour = process.stdout.isTTY === true && !process.env['NO_COLOR'];
  const narrator = new Narrator((line) => console.log(line), colour);
  await using sandbox = await startSandbox({ prefix: values.prefix ?? '' });
  narrator.title(
    'A vehicle, from discovery to collection',
    `over real HTTP, against the embedded sandbox at ${sandbox.baseUrl}`,
  );
  await tellStory(sandbox, narrator, values.platform === true ? 'platform' : 'direct_dealer');
  narrator.title(
    'Everything held.',
    'Your turn: README.md has the first lines of your own, examples/ has whole programs to begin with.',
  );
  console.log('');
}

main().catch((error: unknown) => {
  console.error('\n  Something is off:', error);
  process.exitCode = 1;
});
