declare const __BUILD__: string;

/** The same for all files of one build, and for no other. */
export const build: string = __BUILD__;
