import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { Narrator } from './narrator.js';
import { tellStory } from './story.js';

async function main(): Promise<void> {
  const colour = process.stdout.isTTY === true && !process.env['NO_COLOR'];
  const narrator = new Narrator((line) => console.log(line), colour);
  await using sandbox = await startSandbox({ log: (line) => narrator.wire(line) });
  narrator.title(
    'A vehicle, from discovery to collection',
    `over HTTP, against the sandbox at ${sandbox.baseUrl}`,
  );
  await tellStory(sandbox, narrator);
  narrator.title(
    'Everything held.',
    'README.md has your first bid; examples/ has whole programs to begin with.',
  );
}

main().catch((error: unknown) => {
  console.error('\n  Something is wrong:', error);
  process.exitCode = 1;
});
