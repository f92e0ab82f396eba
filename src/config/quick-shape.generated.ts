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
const words9 = { words: ["auto","legacy","2026-07-28"] } as const;
const text10 = { text: ["expandable"] } as const;
const list11 = { list: text10 } as const;
const text12 = { text: ["variableName"] } as const;
const list13 = { list: text12 } as const;
const text14 = { text: ["expandable","rule"] } as const;
const list15 = { list: text14 } as const;
const text16 = { text: ["expandable","allowRule"] } as const;
const list17 = { list: text16 } as const;
const object18 = { object: {
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
  "protocol": words9,
  "envFile": text2,
  "envCommand": list11,
  "env_vars": list13,
  "deny": list15,
  "ask": list15,
  "allow": list17,
} } as const;
const text19 = { text: [], pattern: "\\S" } as const;
const words20 = { words: ["stdio","local","http","streamable-http","streamableHttp","streamable_http","sse","remote"] } as const;
const text21 = { text: ["expandable","url"], least: 1 } as const;
const text22 = { text: ["headerName"] } as const;
const map23 = { map: text10, names: text22 } as const;
const object24 = { object: {
  "type": words20,
  "url": text21,
  "headers": map23,
}, checks: ["headers"] } as const;
const either25 = { either: [words20, object24] } as const;
const map26 = { map: text10, names: text12 } as const;
const whole27 = { whole: [1,65535] } as const;
const words28 = { words: ["authorization_code","client_credentials"] } as const;
const object29 = { object: {
  "clientId": text2,
  "clientSecret": text2,
  "clientMetadataUrl": text21,
  "issuer": text21,
  "callbackPort": whole27,
  "scopes": list11,
  "grant": words28,
} } as const;
const object30 = { object: {
  "type": words20,
  "transport": either25,
  "command": text2,
  "args": list11,
  "env": map26,
  "cwd": text2,
  "url": text21,
  "httpUrl": text21,
  "serverUrl": text21,
  "headers": map23,
  "oauth": object29,
  "toolFilters": list11,
  "excludeTools": list11,
  "disabled": flag5,
  ...object18.object,
}, checks: ["target","headers"] } as const;
const text31 = { text: ["serverName"] } as const;
const map32 = { map: object30, names: text31, least: 1 } as const;
const object33 = { object: {
  "description": text19,
  "envFile": text2,
  "mcpServers": map32,
}, required: ["description","mcpServers"] } as const;
const text34 = { text: ["toolboxName"] } as const;
const map35 = { map: object33, names: text34 } as const;
const object36 = { object: {
  "$schema": text1,
  "envFile": text2,
  "openTimeoutMs": whole3,
  "openBudgetChars": whole4,
  "shared": flag5,
  "defaults": object18,
  "toolboxes": map35,
}, required: ["toolboxes"] } as const;

/** The schema of the configuration file, for the quick reader. */
export const configFileShape: Shape = object36;
