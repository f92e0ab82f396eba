import type { Observer } from '../ports/observer.js';

export const silentObserver: Observer = { report() {} };
