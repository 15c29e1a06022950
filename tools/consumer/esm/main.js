import { liveADay } from './day.js';

await liveADay();
