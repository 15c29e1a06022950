import type { Vehicle } from '../seed/vehicles.js';
import type { LotMedia } from './lot-media.js';
import { inspectionReport } from './pdf.js';
import { takePhoto } from './picture.js';

/** The bytes of a file: always the same for the same file. */
export function contentsOf({ id, kind }: LotMedia, vehicle: Vehicle): Uint8Array {
  return kind === 'photo' ? takePhoto(vehicle, id) : inspectionReport(vehicle, id);
}
