// Generated from schema.ts by `npm run generate`.
import type { Shape } from './shape.js';

const text1 = { text: [] } as const;
const text2 = { text: ["expandable"], least: 1 } as const;
const whole3 = { whole: [1,2147483647] } as const;
const whole4 = { whole: [1,500000000] } as const;
const flag5 = { flag: true } as const;
const whole6 = { whole: [0,2147483647] } as const;
const whole7 = { whole: [1,1000000] } as const;
const whole8 = { whole: [0,1000000] } as const;
const words9 = { words: ["note","strict","off"] } as const;
const words10 = { words: ["auto","legacy","2026-07-28"] } as const;
const text11 = { text: ["expandable"] } as const;
const list12 = { list: text11 } as const;
const text13 = { text: ["variableName"] } as const;
const list14 = { list: text13 } as const;
const text15 = { text: ["expandable","rule"] } as const;
const list16 = { list: text15 } as const;
const text17 = { text: ["expandable","allowRule"] } as const;
const list18 = { list: text17 } as const;
const object19 = { object: {
  "startTimeoutMs": whole3,
  "callTimeoutMs": whole3,
  "callTotalTimeoutMs": whole3,
  "idleTimeoutMs": whole6,
  "maxConcurrentCalls": whole7,
  "maxQueuedCalls": whole8,
  "maxMessageBytes": whole4,
  "maxResultBytes": whole4,
  "roots": flag5,
  "perSession": flag5,
  "resolve": flag5,
  "lock": words9,
  "protocol": words10,
  "envFile": text2,
  "envCommand": list12,
  "env_vars": list14,
  "deny": list16,
  "ask": list16,
  "allow": list18,
} } as const;
const text20 = { text: [], pattern: "\\S" } as const;
const words21 = { words: ["stdio","local","http","streamable-http","streamableHttp","streamable_http","sse","remote"] } as const;
const text22 = { text: ["expandable","url"], least: 1 } as const;
const text23 = { text: ["headerName"] } as const;
const map24 = { map: text11, names: text23 } as const;
const object25 = { object: {
  "type": words21,
  "url": text22,
  "headers": map24,
}, checks: ["headers"] } as const;
const either26 = { either: [words21, object25] } as const;
const map27 = { map: text11, names: text13 } as const;
const whole28 = { whole: [1,65535] } as const;
const words29 = { words: ["authorization_code","client_credentials","none"] } as const;
const object30 = { object: {
  "clientId": text2,
  "clientSecret": text2,
  "clientMetadataUrl": text22,
  "issuer": text22,
  "callbackPort": whole28,
  "scopes": list12,
  "grant": words29,
} } as const;
const object31 = { object: {
  "type": words21,
  "transport": either26,
  "command": text2,
  "args": list12,
  "env": map27,
  "cwd": text2,
  "url": text22,
  "httpUrl": text22,
  "serverUrl": text22,
  "headers": map24,
  "oauth": object30,
  "toolFilters": list12,
  "excludeTools": list12,
  "disabled": flag5,
  ...object19.object,
}, checks: ["target","headers"] } as const;
const text32 = { text: ["serverName"] } as const;
const map33 = { map: object31, names: text32, least: 1 } as const;
const object34 = { object: {
  "description": text20,
  "envFile": text2,
  "mcpServers": map33,
}, required: ["description","mcpServers"] } as const;
const text35 = { text: ["toolboxName"] } as const;
const map36 = { map: object34, names: text35 } as const;
const object37 = { object: {
  "$schema": text1,
  "envFile": text2,
  "openTimeoutMs": whole3,
  "openBudgetChars": whole4,
  "shared": flag5,
  "runnerRefreshMs": whole6,
  "defaults": object19,
  "toolboxes": map36,
}, required: ["toolboxes"] } as const;

/** The schema of the configuration file, for the quick reader. */
export const configFileShape: Shape = object37;
