/** The options of `add` beside those of most commands. */
export const addOptions = {
  env: {
    short: 'e',
    value: 'NAME[=VALUE]',
    repeats: true,
    about: 'a variable; without a value, that of your environment',
  },
  'env-file': { value: 'FILE', about: 'a file of NAME=value lines with variables for it' },
  header: { value: 'HEADER', repeats: true, about: "a header for a URL: 'Authorization: Bearer ${TOKEN}'" },
  cwd: { value: 'DIRECTORY', about: 'the directory that the program works in' },
  toolbox: { value: 'TOOLBOX', about: 'where what was pasted goes; otherwise it asks' },
  description: { value: 'TEXT', about: 'what a new toolbox is for; the agent chooses by it' },
} as const;
