import { clientKind, kind } from './kind.js';
import type { Rule } from './rule.js';

const wire = 'test/wire/cases/release.ts';
const e2e = 'test/e2e/workflow.test.ts';

/** What becomes of the vehicle, and the papers. */
export const vehicleKinds: readonly Rule[] = [
  kind(
    'release',
    'A52 makes it `valid`, of a sale that is approved, acknowledged, paid and allocated in full; A54 makes it `revoked` while it is unused, and A56 `used`, once, after another look at the vehicle and its identity. How one comes to be `expired` is not shown; in the sandbox its time does it. Holds, and funds that leave again, come to the sandbox with disputes and refunds.',
    {
      'src/api/releases.ts': ['ReleaseRecord', 'releases.operations'],
      'src/api/sale-cases.ts': 'saleCases.operations.authorizeRelease',
      'src/sandbox/handlers/releases.ts': ['authorize', 'revoke', 'collect', 'mustBeValid', 'mustBePaid'],
    },
    {
      [wire]: ['saleCases.authorizeRelease', 'releases.get', 'releases.revoke', 'releases.collect'],
      'test/sandbox/releases.test.ts': [
        'is authorised, literally, once under its key',
        'A52, a release > is refused for %s > a sale that is not decided',
        'A52, a release > is refused for %s > a sale that is not acknowledged',
        'is refused while a paisa is missing, paid for an approved sale but not allocated',
        'is made, literally, once under its key',
        'comes too late after the collection',
        'of a %s and its counterpart at once, one holds',
        'is confirmed, literally, once under its key',
        'does not take %s for the vehicle',
        'looks at the vehicle again',
        'lapses at its time, and not before',
      ],
      [e2e]: 'a release is revoked, given again, used once, and all of it is told',
    },
  ),
  clientKind(
    'dispute',
    'A50 makes it `open`; what comes after is not shown.',
    { 'src/api/disputes.ts': ['DisputeRecord', 'disputes.operations.create'] },
    { 'test/wire/cases/payments.ts': ['disputes.create', 'disputes.get'] },
  ),
  clientKind(
    'transfer',
    'A57 sets it to the status that was sent, and nothing here takes that for what a registry says.',
    {
      'src/api/sale-cases.ts': [
        'TransferRecord',
        'saleCases.operations.updateTransfer',
        'saleCases.operations.transferStatus',
      ],
    },
    { [wire]: ['saleCases.updateTransfer', 'saleCases.transferStatus'] },
  ),
  clientKind(
    'inventory_command',
    'A59 and A60 are `completed` at once, and the vehicle is a `draft` after the first.',
    { 'src/api/inventory.ts': ['InventoryCommandRecord', 'inventory.operations'] },
    { 'test/wire/cases/inventory.ts': ['inventory.createVehicle', 'inventory.updateVehicle'] },
  ),
  kind(
    'document',
    'A72 makes it `awaiting_scan`; `ready`, and to be downloaded, it is when the scanner has found it clean, however long that takes.',
    {
      'src/api/documents.ts': ['DocumentRecord', 'documents.operations.upload'],
      'src/sandbox/handlers/documents.ts': ['upload', 'download'],
      'src/sandbox/workflow/scanner.ts': 'Scanner.scan',
    },
    {
      'test/wire/cases/documents.ts': ['documents.upload', 'documents.get'],
      'test/sandbox/documents.test.ts': [
        'records a document, literally, and nothing but it',
        'takes its time and finds the file clean',
        'waits while the scanner is down, and goes on when it is back',
        'is refused before the scan with a message',
      ],
      [e2e]: 'evidence goes up, waits for its scan, and comes down as it was',
    },
  ),
];
