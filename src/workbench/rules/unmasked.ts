import type { MaskFor } from '../ports/mask.js';

/** For programs without secrets. */
export const unmasked: MaskFor = async () => (text) => text;
