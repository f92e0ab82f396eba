// Generated from schema.ts by `npm run generate`.
import type { Shape } from './shape.js';

const text1 = { text: [] } as const;
const text2 = { text: ["expandable"], least: 1 } as const;
const whole3 = { whole: [1,2147483647] } as const;
const whole4 = { whole: [1,500000000] } as const;
const whole5 = { whole: [0,2147483647] } as const;
const whole6 = { whole: [1,1000000] } as const;
const whole7 = { whole: [0,1000000] } as const;
const flag8 = { flag: true } as const;
const words9 = { words: ["auto","legacy","2026-07-28"] } as const;
const text10 = { text: ["expandable"] } as const;
const list11 = { list: text10 } as const;
const text12 = { text: ["variableName"] } as const;
const list13 = { list: text12 } as const;
const object14 = { object: {
  "startTimeoutMs": whole3,
  "callTimeoutMs": whole3,
  "callTotalTimeoutMs": whole3,
  "idleTimeoutMs": whole5,
  "maxConcurrentCalls": whole6,
  "maxQueuedCalls": whole7,
  "maxMessageBytes": whole4,
  "maxResultBytes": whole4,
  "roots": flag8,
  "protocol": words9,
  "envFile": text2,
  "envCommand": list11,
  "env_vars": list13,
} } as const;
const text15 = { text: [], pattern: "\\S" } as const;
const words16 = { words: ["stdio","local","http","streamable-http","streamableHttp","streamable_http","sse","remote"] } as const;
const text17 = { text: ["expandable","url"], least: 1 } as const;
const text18 = { text: ["headerName"] } as const;
const map19 = { map: text10, names: text18 } as const;
const object20 = { object: {
  "type": words16,
  "url": text17,
  "headers": map19,
}, checks: ["headers"] } as const;
const either21 = { either: [words16, object20] } as const;
const map22 = { map: text10, names: text12 } as const;
const whole23 = { whole: [1,65535] } as const;
const words24 = { words: ["authorization_code","client_credentials","none"] } as const;
const object25 = { object: {
  "clientId": text2,
  "clientSecret": text2,
  "clientMetadataUrl": text17,
  "issuer": text17,
  "callbackPort": whole23,
  "scopes": list11,
  "grant": words24,
} } as const;
const object26 = { object: {
  "type": words16,
  "transport": either21,
  "command": text2,
  "args": list11,
  "env": map22,
  "cwd": text2,
  "url": text17,
  "httpUrl": text17,
  "serverUrl": text17,
  "headers": map19,
  "oauth": object25,
  "toolFilters": list11,
  "excludeTools": list11,
  "disabled": flag8,
  ...object14.object,
}, checks: ["target","headers"] } as const;
const text27 = { text: ["serverName"] } as const;
const map28 = { map: object26, names: text27, least: 1 } as const;
const object29 = { object: {
  "description": text15,
  "envFile": text2,
  "mcpServers": map28,
}, required: ["description","mcpServers"] } as const;
const text30 = { text: ["toolboxName"] } as const;
const map31 = { map: object29, names: text30 } as const;
const object32 = { object: {
  "$schema": text1,
  "envFile": text2,
  "openTimeoutMs": whole3,
  "openBudgetChars": whole4,
  "defaults": object14,
  "toolboxes": map31,
}, required: ["toolboxes"] } as const;

/** The schema of the configuration file, for the quick reader. */
export const configFileShape: Shape = object32;
