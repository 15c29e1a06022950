// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import { InventoryCommandRecord, InventorySchema } from './schemas.js';

export const inventory = {
  createVehicle: {
    name: 'inventory.createVehicle',
    id: 'A59',
    method: 'POST',
    path: '/bank/inventory/vehicles',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    body: {
      fields: {
        title: 'filled',
        external_id: 'filled',
        schema_version: {
          either: ['filled', 'number'],
          problem: 'must be the schema_version that the service gave',
        },
        values: {
          either: [{ map: 'unknown' }, { list: 'unknown' }],
          problem: 'must be an object keyed by field id',
        },
        idempotency_key: 'uuid',
      },
    },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: InventoryCommandRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  updateVehicle: {
    name: 'inventory.updateVehicle',
    id: 'A60',
    method: 'PATCH',
    path: '/bank/inventory/vehicles/{vehicle}',
    availability: 'callable',
    effect: 'command',
    actors: ['bank'],
    params: { vehicle: 'pathId' },
    body: {
      fields: {
        title: { optional: 'filled' },
        values: {
          optional: {
            either: [{ map: 'unknown' }, { list: 'unknown' }],
            problem: 'must be an object keyed by field id',
          },
        },
        expected_version: 'version',
        idempotency_key: 'uuid',
      },
      hints: { expected_version: 'give the version you read, or the record itself in place of its id' },
    },
    versionFrom: { param: 'vehicle', kind: 'inventory_command', field: 'inventory_version' },
    success: [200],
    envelope: 'command',
    reply: {
      fields: {
        data: InventoryCommandRecord,
        request_id: { optional: 'string' },
        server_time: { optional: 'string' },
      },
    },
  },
  schemas: {
    name: 'inventory.schemas',
    id: 'A63',
    method: 'GET',
    path: '/bank/inventory/schemas',
    availability: 'callable',
    effect: 'read',
    actors: ['bank'],
    success: [200],
    envelope: 'read',
    reply: { fields: { data: { list: InventorySchema }, server_time: { optional: 'string' } } },
  },
} satisfies Readonly<Record<string, Route>>;
