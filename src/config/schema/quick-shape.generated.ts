// Generated from schema.ts by `npm run generate`.
import type { Shape } from './shape.js';

const text1 = { text: [] } as const;
const text2 = { text: ["expandable"], least: 1 } as const;
const whole3 = { whole: [1,2147483647] } as const;
const whole4 = { whole: [1,500000000] } as const;
const whole5 = { whole: [0,500000000] } as const;
const whole6 = { whole: [0,2147483647] } as const;
const flag7 = { flag: true } as const;
const whole8 = { whole: [1,1000000] } as const;
const whole9 = { whole: [0,1000000] } as const;
const words10 = { words: ["note","strict","off"] } as const;
const words11 = { words: ["auto","legacy","2026-07-28"] } as const;
const text12 = { text: ["expandable"] } as const;
const list13 = { list: text12 } as const;
const text14 = { text: ["variableName"] } as const;
const list15 = { list: text14 } as const;
const text16 = { text: ["expandable","rule"] } as const;
const list17 = { list: text16 } as const;
const text18 = { text: ["expandable","allowRule"] } as const;
const list19 = { list: text18 } as const;
const object20 = { object: {
  "startTimeoutMs": whole3,
  "callTimeoutMs": whole3,
  "callTotalTimeoutMs": whole3,
  "idleTimeoutMs": whole6,
  "maxConcurrentCalls": whole8,
  "maxQueuedCalls": whole9,
  "maxMessageBytes": whole4,
  "maxResultBytes": whole4,
  "roots": flag7,
  "perSession": flag7,
  "resolve": flag7,
  "lock": words10,
  "protocol": words11,
  "envFile": text2,
  "envCommand": list13,
  "env_vars": list15,
  "deny": list17,
  "ask": list17,
  "allow": list19,
} } as const;
const text21 = { text: [], pattern: "\\S" } as const;
const words22 = { words: ["stdio","local","http","streamable-http","streamableHttp","streamable_http","sse","remote"] } as const;
const text23 = { text: ["expandable","url"], least: 1 } as const;
const text24 = { text: ["headerName"] } as const;
const map25 = { map: text12, names: text24 } as const;
const object26 = { object: {
  "type": words22,
  "url": text23,
  "headers": map25,
}, checks: ["headers"] } as const;
const either27 = { either: [words22, object26] } as const;
const map28 = { map: text12, names: text14 } as const;
const list29 = { list: text2 } as const;
const whole30 = { whole: [1,65535] } as const;
const words31 = { words: ["authorization_code","client_credentials","none"] } as const;
const object32 = { object: {
  "clientId": text2,
  "clientSecret": text2,
  "clientMetadataUrl": text23,
  "issuer": text23,
  "hosts": list29,
  "callbackPort": whole30,
  "scopes": list13,
  "grant": words31,
} } as const;
const object33 = { object: {
  "type": words22,
  "transport": either27,
  "command": text2,
  "args": list13,
  "env": map28,
  "cwd": text2,
  "url": text23,
  "httpUrl": text23,
  "serverUrl": text23,
  "headers": map25,
  "oauth": object32,
  "toolFilters": list13,
  "excludeTools": list13,
  "disabled": flag7,
  ...object20.object,
}, checks: ["target","headers"] } as const;
const text34 = { text: ["serverName"] } as const;
const map35 = { map: object33, names: text34, least: 1 } as const;
const object36 = { object: {
  "description": text21,
  "envFile": text2,
  "mcpServers": map35,
}, required: ["mcpServers"] } as const;
const text37 = { text: ["toolboxName"] } as const;
const map38 = { map: object36, names: text37 } as const;
const object39 = { object: {
  "$schema": text1,
  "envFile": text2,
  "openTimeoutMs": whole3,
  "openBudgetChars": whole4,
  "resultBudgetChars": whole5,
  "answerWithinMs": whole6,
  "shared": flag7,
  "runnerRefreshMs": whole6,
  "defaults": object20,
  "toolboxes": map38,
}, required: ["toolboxes"] } as const;

/** The schema of the configuration file, for the quick reader. */
export const configFileShape: Shape = object39;
