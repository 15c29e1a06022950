export { type End, type Recording, recordingIn } from './recording.js';
export { isReproduced, type ReplayedCase, type ReplayOptions, replayRecording, shownEnd } from './replay.js';
export { testFileOf } from './test-file.js';
