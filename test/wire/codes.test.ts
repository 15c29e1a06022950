import { thoroughly } from '../support/thorough.js';
import { describeCodes } from './codes-suite.js';
import { socketDriver } from './socket-driver.js';

describeCodes('on a real socket', socketDriver, {
  whole: [
    'bids.submit',
    'saleCases.decide',
    'documents.upload',
    'inventory.updateVehicle',
    'webhookSubscriptions.create',
    'lots.statusBatch',
    'events.get',
    'events.lots',
    'events.media',
  ],
  oneIn: thoroughly(24, 8),
});
