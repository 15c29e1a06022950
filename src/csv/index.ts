/**
 * Bids and vehicles from CSV files, and results of batches and imports as CSV: `vehicle-auction-sdk/csv`.
 *
 * @module
 */
export type { CsvSource } from './parse.js';
export { type BidField, type BidsFile, type CsvRow, type ReadBidsOptions, readBids } from './read-bids.js';
export { type ReadVehiclesOptions, readVehicles } from './read-vehicles.js';
export { type ImportResults, writeImport } from './write-import.js';
export {
  type BatchResults,
  type ResultsStream,
  type WriteResultsOptions,
  writeResults,
} from './write-results.js';
