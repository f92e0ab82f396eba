// What is bundled into which file of dist/.

/** Each is one file that a start loads, with nothing beside it. */
export const programs = {
  main: 'src/main.ts',
  index: 'src/index.ts',
  'getting-started': 'src/getting-started/main.ts',
  host: 'src/serve/host/process/main.ts',
  'stall-thread': 'src/serve/host/process/stall-thread.ts',
};

/**
 * What a program imports from a part instead of having a copy: the library is the engine with another door, and its errors are
 * those of the engine.
 */
export const borrowed = { index: ['src/compose.ts', 'src/contract/errors.ts'] };

/**
 * Files that are loaded on demand, with the modules whose exports they have: `import()` of any of these modules loads the whole
 * file. Modules are together if they are needed together, or so rarely that it does not matter. A file costs as much time as
 * 15 KB of code that is not used, so shared code is in each of them rather than in further files. No instance of a class may
 * therefore be recognised by `instanceof` in another part.
 */
export const parts = {
  relay: ['src/serve/host/front/host-links.ts', 'src/serve/host/front/front-log.ts'],
  // What is needed before a server is started; the rest is loaded meanwhile.
  engine: ['src/compose.ts', 'src/contract/errors.ts', 'src/downstream/stdio/start-program.ts'],
  'engine-later': [
    'src/downstream/env-command/read-output.ts',
    'src/downstream/protocol/tasks/run-task.ts',
    'src/downstream/stdio/command-problem.ts',
    'src/downstream/stdio/dumps/summarize-output.ts',
    'src/downstream/stdio/windows-spawn.ts',
    'src/observe/status/serve-status.ts',
    'src/session/meta-tools/input-check.ts',
    'src/session/refused-request.ts',
    'src/workbench/asking/ask-to-log-in.ts',
    'src/workbench/calls/violations.ts',
    'src/workbench/servers/user-hint.ts',
    'src/workbench/opening/open-answer.ts',
    'src/workbench/rules/call-approvals.ts',
    'src/workbench/search/tool-search.ts',
  ],
  // For results that may have to change for their client.
  results: ['src/session/fitted-answer.ts', 'src/session/tickets/tickets.ts', 'src/results/select/parse.ts'],
  // For entries with a package runner.
  runners: ['src/downstream/stdio/runners/prepare-program.ts', 'src/downstream/stdio/runners/runner-place.ts'],
  http: ['src/downstream/http/wire.ts'],
  // `serve --http`: agents over HTTP.
  service: ['src/serve/http/serve-http.ts'],
  // For agents over HTTP whose users have tokens of an issuer.
  jwt: ['src/serve/http/identity/team.ts', 'src/serve/http/identity/fetch-json.ts'],
  // For their logins at servers.
  login: ['src/serve/http/login/pages.ts'],
  // For servers that need a login.
  oauth: ['src/downstream/oauth/logins.ts'],
  // Without the schema, which takes longest to load.
  configuration: [
    'src/config/resolve/assemble.ts',
    'src/config/trust/vetting.ts',
    'src/session/configuration/follow-configuration.ts',
  ],
  'config-reader': ['src/config/read/parse.ts'],
  // For a start with a file that has faults.
  'faulty-file': ['src/config/read/stand-in.ts', 'src/session/faulty-link.ts'],
  // Those that a shell starts while somebody types.
  commands: [
    'src/cli/frame/command-line/run-command.ts',
    'src/cli/commands/completion/completion.ts',
    'src/cli/commands/schema.ts',
  ],
  'commands-see': [
    'src/cli/commands/serve.ts',
    'src/cli/commands/list/list.ts',
    'src/cli/commands/list/ps.ts',
    'src/cli/commands/list/status.ts',
    'src/cli/commands/logs/logs.ts',
    'src/cli/commands/reload.ts',
    'src/cli/commands/cancel.ts',
    'src/cli/commands/stop.ts',
    'src/cli/commands/token.ts',
    'src/cli/commands/validate.ts',
    'src/cli/state/client-summary.ts',
  ],
  'commands-use': [
    'src/cli/commands/approve/approve.ts',
    'src/cli/commands/auth/auth.ts',
    'src/cli/commands/call/call.ts',
    'src/cli/commands/tools/tools.ts',
    'src/cli/commands/update/update.ts',
  ],
  'commands-other': [
    'src/cli/commands/clients/connect.ts',
    'src/cli/commands/clients/disconnect.ts',
    'src/cli/commands/clients/undo.ts',
    'src/cli/commands/doctor/doctor.ts',
    'src/cli/commands/edit/add.ts',
    'src/cli/commands/group/group.ts',
    'src/cli/commands/edit/import.ts',
    'src/cli/commands/edit/move.ts',
    'src/cli/commands/edit/remove.ts',
    'src/cli/commands/edit/switch.ts',
    'src/cli/commands/init/init.ts',
    'src/cli/commands/page/page.ts',
    'src/cli/commands/trust/trust.ts',
    'src/cli/commands/trust/untrust.ts',
    'src/cli/state/found-servers.ts',
  ],
};
