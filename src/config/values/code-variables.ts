/**
 * Variables by which a program is made to run code, to load it from elsewhere, or to take other programs and settings than those of
 * the user. A name that looks like one of them counts as one.
 */
const runningCode = new RegExp(
  `^(?:${[
    // Of the system, its loader and its shells.
    'path|pathext|comspec|home|userprofile|ld_.*|dyld_.*|gconv_path|xdg_.*|env|ifs|ps4|shell|shellopts|bash.*|zdotdir|prompt_command',
    // Of Node.js and package runners. `NODE_ENV` is in many env files, and a plain word.
    'node_(?!env$).*|npm_config_.*|npx_.*|pnpm_.*|yarn_.*|corepack_.*|bun_.*|deno_.*|electron_.*',
    'python.*|pip_.*|pipx_.*|uv_.*|virtual_env|conda_.*',
    'perl5.*|perllib|ruby.*|gem_.*|bundle_.*|java_.*|_java_.*|jdk_.*|classpath|dotnet_.*|coreclr_.*|phprc|php_ini.*|lua_.*|go(?:flags|path|root)|rustc.*|cargo_.*',
    // Programs that others start.
    'git_.*|.*_?askpass|.*editor|visual|.*pager|browser|openssl_.*|.*_preload|.*_(?:command|cmd|exec|opts|options)',
  ].join('|')})$`,
  'i',
);

export function runsCode(name: string): boolean {
  return runningCode.test(name);
}
