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
const list15 = { list: text10 } as const;
const words16 = { words: ["authorization_code","client_credentials"] } as const;
const object17 = { object: {
  "clientId": text10,
  "clientSecret": text10,
  "clientMetadataUrl": text4,
  "issuer": text4,
  "callbackPort": whole14,
  "scopes": list15,
  "grant": words16,
} } as const;
const flag18 = { flag: true } as const;
const whole19 = { whole: [1,2147483647] } as const;
const whole20 = { whole: [0,2147483647] } as const;
const whole21 = { whole: [1,1000000] } as const;
const whole22 = { whole: [0,1000000] } as const;
const whole23 = { whole: [1,500000000] } as const;
const words24 = { words: ["auto","legacy","2026-07-28"] } as const;
const object25 = { object: {
  "startTimeoutMs": whole19,
  "callTimeoutMs": whole19,
  "callTotalTimeoutMs": whole19,
  "idleTimeoutMs": whole20,
  "maxConcurrentCalls": whole21,
  "maxQueuedCalls": whole22,
  "maxMessageBytes": whole23,
  "maxResultBytes": whole23,
  "roots": flag18,
  "protocol": words24,
} } as const;
const object26 = { object: {
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
  "oauth": object17,
  "toolFilters": list11,
  "disabled": flag18,
  ...object25.object,
}, checks: ["target","headers"] } as const;
const text27 = { text: ["serverName"] } as const;
const map28 = { map: object26, names: text27, least: 1 } as const;
const object29 = { object: {
  "description": text2,
  "mcpServers": map28,
}, required: ["description","mcpServers"] } as const;
const text30 = { text: ["toolboxName"] } as const;
const map31 = { map: object29, names: text30 } as const;
const object32 = { object: {
  "$schema": text1,
  "toolboxes": map31,
  "openTimeoutMs": whole19,
  "openBudgetChars": whole23,
  "defaults": object25,
}, required: ["toolboxes"] } as const;

/** The schema of the configuration file, for the quick reader. */
export const configFileShape: Shape = object32;
