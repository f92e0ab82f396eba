declare const __VERSION__: string;

/** The version in package.json, inserted by the build. */
export const version: string = __VERSION__;
