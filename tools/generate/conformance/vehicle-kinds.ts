import { kind } from './kind.js';
import type { Rule } from './rule.js';

const wire = 'test/wire/cases/release.ts';
const e2e = 'test/e2e/workflow.test.ts';

/** What becomes of the vehicle, and the papers. */
export const vehicleKinds: readonly Rule[] = [
  kind(
    'release',
    'A52 makes it `valid`, of a sale that is approved, acknowledged, paid and allocated in full; A54 makes it `revoked` while it is unused, and A56 `used`, once, after another look at the vehicle and its identity. How one comes to be `expired` is not shown; in the sandbox its time does it. Disputes and pending cancellations hold it, and so does money that is asked back or has gone back.',
    {
      'src/api/releases.ts': ['ReleaseRecord', 'releases.operations'],
      'src/api/sale-cases.ts': 'saleCases.operations.authorizeRelease',
      'src/sandbox/handlers/releases.ts': ['authorize', 'revoke', 'collect', 'mustBeValid', 'mustBePaid'],
      'src/sandbox/workflow/holds.ts': 'mustNotBeHeld',
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
      'test/sandbox/disputes.test.ts': 'freezes by `dispute-freezes`, at %s',
      'test/sandbox/refunds.test.ts': [
        'that is asked back keeps the vehicle in its yard, until the bank decides',
        'that is refunded makes a valid release worth nothing, until it is paid again',
      ],
      [e2e]: 'a release is revoked, given again, used once, and all of it is told',
    },
  ),
  kind(
    'dispute',
    'A50 makes it `open`; what comes after is not shown. In the sandbox it freezes the release, the collection and the refund of its own sale and of nothing else, or what `dispute-freezes` says, until a hand resolves it.',
    {
      'src/api/disputes.ts': ['DisputeRecord', 'disputes.operations.create'],
      'src/sandbox/handlers/disputes.ts': 'raise',
      'src/sandbox/workflow/holds.ts': ['mustNotBeHeld', 'disputeFreezes'],
      'src/sandbox/hands/disputes.ts': 'DisputeControls.resolve',
    },
    {
      'test/wire/cases/payments.ts': ['disputes.create', 'disputes.get'],
      'test/sandbox/disputes.test.ts': [
        'is raised by the %s, literally, once under its key',
        'A50, a dispute > is refused with %s, and nothing has changed',
        'freezes by `dispute-freezes`, at %s',
        'changes nothing of what it freezes, and lets it go when it is resolved',
        'leaves other sales alone, a revocation, and a refusal of the refund',
        'is resolved once, and by its id',
      ],
    },
  ),
  kind(
    'transfer',
    'A57 makes a record in the state that was sent, of an approved sale and on its version; A58 says where the latest has led, and lists them all. Nothing takes the word of the bank for that of a registry: `government_verified` is true once the registry of the sandbox, a hand, has confirmed the milestone.',
    {
      'src/api/sale-cases.ts': [
        'TransferRecord',
        'saleCases.operations.updateTransfer',
        'saleCases.operations.transferStatus',
      ],
      'src/sandbox/handlers/transfers.ts': ['record', 'status'],
      'src/sandbox/hands/transfers.ts': 'TransferControls.verify',
    },
    {
      [wire]: ['saleCases.updateTransfer', 'saleCases.transferStatus'],
      'test/sandbox/transfers.test.ts': [
        'says not_started, to the bank and the buyer, whatever the state of the sale',
        'A57, a milestone > is recorded, literally, once under its key',
        'A57, a milestone > can be %s',
        'A57, a milestone > is refused with %s, and nothing has changed',
        'after a milestone is another record, and the latest says where the transfer is',
        'is the last one when it is %s',
        'A57 waits for the approval of the sale',
        'confirms the latest milestone, which counts as a change',
        'has not confirmed what was recorded since',
      ],
    },
  ),
  kind(
    'inventory_command',
    'A59 and A60 are `completed` at once. The vehicle is a `draft` after the first, and a draft is all that the second changes: given fields are merged, those left out are kept, and a vehicle that is `ready` or published is a 409.',
    {
      'src/api/inventory.ts': ['InventoryCommandRecord', 'inventory.operations'],
      'src/sandbox/handlers/inventory.ts': ['create', 'update', 'noDraft', 'committed'],
      'src/sandbox/workflow/inventory-values.ts': 'readValues',
    },
    {
      'test/wire/cases/inventory.ts': ['inventory.createVehicle', 'inventory.updateVehicle'],
      'test/sandbox/inventory.test.ts': [
        'makes a draft, literally, once under its key',
        'A59 > is refused with %s, and nothing is there',
        'merges what is given and keeps the rest, literally',
        'is a conflict on a vehicle that is %s',
        'A60 > is refused with %s, and nothing has changed',
      ],
      'test/sandbox/inventory-values.test.ts': 'a value is held to the type of its field > %s',
    },
  ),
  kind(
    'document',
    'A72 makes it `awaiting_scan`; `ready`, and to be downloaded, it is when the scanner has found it clean, however long that takes. What is found unclean is never given out.',
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
      'test/sandbox/scanner.test.ts': 'is rejected once it is scanned, and never given out',
      [e2e]: 'evidence goes up, waits for its scan, and comes down as it was',
    },
  ),
];
