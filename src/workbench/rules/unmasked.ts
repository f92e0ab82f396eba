import type { MaskFor } from '../ports/mask.js';

/** For programs without secrets. */
export const unmasked: MaskFor = () => (text) => text;
