import type { ServerConfig } from '../../config/config.js';
import type { ReplaceAny } from '../../text/replace-any.js';

/** What replaces the secrets of a server in what a person reads about a call: only values with the name of a secret, each by its name. */
export type MaskFor = (server: ServerConfig) => ReplaceAny;
