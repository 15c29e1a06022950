import type { Command } from 'commander';
import { seedJsonSchema } from '../../sandbox/seed/seed.js';
import type { Terminal } from '../terminal.js';

/** `vehicle-auction seed-schema` */
export function addSeedSchema(program: Command, terminal: Terminal): void {
  program
    .command('seed-schema')
    .description('Print the JSON Schema of the files that "sandbox --seed" takes, for editors.')
    .action(() => {
      terminal.out(`${JSON.stringify(seedJsonSchema(), null, 2)}\n`);
    });
}
