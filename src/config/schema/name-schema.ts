// Names that the file gives: keys of objects, and words for them elsewhere.
import * as z from 'zod/mini';
import { textChecks } from './checks.js';
import { ownCheck } from './schema-checks.js';

export const variableName = z.string().check(
  ownCheck(textChecks.variableName, () => {
    const remedy = 'Write only the name of the variable, e.g. "API_KEY".';
    return [{ what: 'Not the name of an environment variable.', remedy, atKey: true }];
  }),
);

export const headerName = z.string().check(
  ownCheck(textChecks.headerName, () => {
    const remedy = 'Use letters, digits and hyphens, e.g. "Authorization".';
    return [{ what: 'Not the name of an HTTP header.', remedy, atKey: true }];
  }),
);

export const serverName = z
  .string()
  .check(
    ownCheck(textChecks.serverName, () => [
      { what: 'A server needs a name.', remedy: 'Write a name before the colon.', atKey: true },
    ]),
  );

export const toolboxName = z.string().check(
  ownCheck(textChecks.toolboxName, (value) => {
    const what = value === '' ? 'A toolbox needs a name.' : "'*' is not a toolbox name.";
    return [{ what, remedy: 'Choose another name, e.g. "dev".', atKey: true }];
  }),
);
