// Generated from schema.ts by `npm run generate`.
import type { Shape } from './shape.js';

const text1 = { text: [] } as const;
const text2 = { text: [], pattern: "\\S" } as const;
const words3 = { words: ["stdio","local","http","streamable-http","streamableHttp","streamable_http","sse","remote"] } as const;
const text4 = { text: ["expandable","url"], least: 1 } as const;
const text5 = { text: ["expandable"] } as const;
const text6 = { text: ["headerName"] } as const;
const map7 = { map: text5, names: text6 } as const;
const object8 = { object: {
  "type": words3,
  "url": text4,
  "headers": map7,
}, checks: ["headers"] } as const;
const either9 = { either: [words3, object8] } as const;
const text10 = { text: ["expandable"], least: 1 } as const;
const list11 = { list: text5 } as const;
const text12 = { text: ["variableName"] } as const;
const map13 = { map: text5, names: text12 } as const;
const whole14 = { whole: [1,65535] } as const;
const words15 = { words: ["authorization_code","client_credentials"] } as const;
const object16 = { object: {
  "clientId": text10,
  "clientSecret": text10,
  "clientMetadataUrl": text4,
  "issuer": text4,
  "callbackPort": whole14,
  "scopes": list11,
  "grant": words15,
} } as const;
const flag17 = { flag: true } as const;
const whole18 = { whole: [1,2147483647] } as const;
const whole19 = { whole: [0,2147483647] } as const;
const whole20 = { whole: [1,1000000] } as const;
const whole21 = { whole: [0,1000000] } as const;
const whole22 = { whole: [1,500000000] } as const;
const words23 = { words: ["auto","legacy","2026-07-28"] } as const;
const object24 = { object: {
  "startTimeoutMs": whole18,
  "callTimeoutMs": whole18,
  "callTotalTimeoutMs": whole18,
  "idleTimeoutMs": whole19,
  "maxConcurrentCalls": whole20,
  "maxQueuedCalls": whole21,
  "maxMessageBytes": whole22,
  "maxResultBytes": whole22,
  "roots": flag17,
  "protocol": words23,
} } as const;
const object25 = { object: {
  "type": words3,
  "transport": either9,
  "command": text10,
  "args": list11,
  "env": map13,
  "envFile": text10,
  "cwd": text10,
  "url": text4,
  "httpUrl": text4,
  "serverUrl": text4,
  "headers": map7,
  "oauth": object16,
  "toolFilters": list11,
  "disabled": flag17,
  ...object24.object,
}, checks: ["target","headers"] } as const;
const text26 = { text: ["serverName"] } as const;
const map27 = { map: object25, names: text26, least: 1 } as const;
const object28 = { object: {
  "description": text2,
  "mcpServers": map27,
}, required: ["description","mcpServers"] } as const;
const text29 = { text: ["toolboxName"] } as const;
const map30 = { map: object28, names: text29 } as const;
const object31 = { object: {
  "$schema": text1,
  "toolboxes": map30,
  "openTimeoutMs": whole18,
  "openBudgetChars": whole22,
  "defaults": object24,
}, required: ["toolboxes"] } as const;

/** The schema of the configuration file, for the quick reader. */
export const configFileShape: Shape = object31;
