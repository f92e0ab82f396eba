// Stands in for the SDK's `_shims` modules in the bundle (server and client alike). The originals load AJV, 290 KB parsed and run at every
// start, for validations that never happen here: arguments and results pass through as the agent and the servers sent them.
export { default as process } from 'node:process';

export const CORS_IS_POSSIBLE = false;

export class DefaultJsonSchemaValidator {
  getValidator() {
    return (input) => ({ valid: true, data: input, errorMessage: undefined });
  }
}
