import { fileJournal } from '../../../src/intents/file/file-journal.js';
import { make } from './kit.js';

// A process that has a journal open until it is killed.
const journal = fileJournal(process.argv[2] ?? '');
await make(journal, 'key-1');
process.send?.('open');
setInterval(() => undefined, 1_000);
