import type { ServerConfig } from '../../config/config.js';
import type { ReplaceAny } from '../../text/replace-any.js';

/** What replaces the secrets of a server in a text of ours. */
export type MaskFor = (server: ServerConfig) => Promise<ReplaceAny>;
