import type { MaskFor } from '../ports/mask.js';

/** Where a program knows no secrets. */
export const unmasked: MaskFor = async () => (text) => text;
