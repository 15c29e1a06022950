export { replayFile, savedEntries, unresolvedOf, withoutText } from './bundle.js';
export type { End, Recording } from './recording.js';
export { type ReplayedCase, type ReplayOptions, replayRecording } from './replay.js';
