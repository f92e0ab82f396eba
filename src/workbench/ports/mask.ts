import type { ServerConfig } from '../../config/config.js';
import type { ReplaceAny } from '../../text/replace-any.js';

/** What replaces the secrets of a server in a question to a person: only values with the name of a secret, each by its name. */
export type MaskFor = (server: ServerConfig) => Promise<ReplaceAny>;
