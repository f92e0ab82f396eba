// Generated from schema.ts by `npm run generate`.
import type { Shape } from './shape.js';

const text1 = { text: [] } as const;
const text2 = { text: ["expandable"], least: 1 } as const;
const whole3 = { whole: [1,2147483647] } as const;
const whole4 = { whole: [1,500000000] } as const;
const whole5 = { whole: [0,500000000] } as const;
const whole6 = { whole: [0,2147483647] } as const;
const flag7 = { flag: true } as const;
const words8 = { words: ["RS256","RS384","RS512","PS256","PS384","PS512","ES256","ES384","ES512","EdDSA","Ed25519"] } as const;
const list9 = { list: words8, least: 1 } as const;
const list10 = { list: text2 } as const;
const list11 = { list: text2, least: 1 } as const;
const text12 = { text: ["claimName"] } as const;
const map13 = { map: list11, names: text12 } as const;
const list14 = { list: text12 } as const;
const object15 = { object: {
  "clientId": text2,
  "clientSecret": text2,
}, required: ["clientId"] } as const;
const object16 = { object: {
  "issuer": text2,
  "audience": text2,
  "algorithms": list9,
  "scopes": list10,
  "require": map13,
  "claims": list14,
  "login": object15,
}, required: ["issuer"] } as const;
const whole17 = { whole: [1,1000000] } as const;
const object18 = { object: {
  "requestsPerSecond": whole17,
  "inFlight": whole17,
  "processesPerUser": whole17,
  "processes": whole17,
} } as const;
const object19 = { object: {
  "listen": text2,
  "url": text2,
  "auth": object16,
  "origins": list10,
  "limits": object18,
} } as const;
const whole20 = { whole: [0,1000000] } as const;
const words21 = { words: ["note","strict","off"] } as const;
const words22 = { words: ["auto","legacy","2026-07-28"] } as const;
const text23 = { text: ["expandable"] } as const;
const list24 = { list: text23 } as const;
const text25 = { text: ["variableName"] } as const;
const list26 = { list: text25 } as const;
const text27 = { text: ["expandable","rule"] } as const;
const list28 = { list: text27 } as const;
const text29 = { text: ["expandable","allowRule"] } as const;
const list30 = { list: text29 } as const;
const object31 = { object: {
  "startTimeoutMs": whole3,
  "callTimeoutMs": whole3,
  "callTotalTimeoutMs": whole3,
  "idleTimeoutMs": whole6,
  "maxConcurrentCalls": whole17,
  "maxQueuedCalls": whole20,
  "maxMessageBytes": whole4,
  "maxResultBytes": whole4,
  "roots": flag7,
  "perSession": flag7,
  "resolve": flag7,
  "lock": words21,
  "protocol": words22,
  "envFile": text2,
  "envCommand": list24,
  "env_vars": list26,
  "deny": list28,
  "ask": list28,
  "allow": list30,
} } as const;
const text32 = { text: [], pattern: "\\S" } as const;
const words33 = { words: ["stdio","local","http","streamable-http","streamableHttp","streamable_http","sse","remote"] } as const;
const text34 = { text: ["expandable","url"], least: 1 } as const;
const text35 = { text: ["headerName"] } as const;
const map36 = { map: text23, names: text35 } as const;
const object37 = { object: {
  "type": words33,
  "url": text34,
  "headers": map36,
}, checks: ["headers"] } as const;
const either38 = { either: [words33, object37] } as const;
const map39 = { map: text23, names: text25 } as const;
const whole40 = { whole: [1,65535] } as const;
const words41 = { words: ["authorization_code","client_credentials","none"] } as const;
const object42 = { object: {
  "clientMetadataUrl": text34,
  "issuer": text34,
  "hosts": list10,
  "callbackPort": whole40,
  "scopes": list24,
  "grant": words41,
  ...object15.object,
} } as const;
const object43 = { object: {
  "type": words33,
  "transport": either38,
  "command": text2,
  "args": list24,
  "env": map39,
  "cwd": text2,
  "url": text34,
  "httpUrl": text34,
  "serverUrl": text34,
  "headers": map36,
  "oauth": object42,
  "toolFilters": list24,
  "excludeTools": list24,
  "forEveryone": flag7,
  "disabled": flag7,
  ...object31.object,
}, checks: ["target","headers"] } as const;
const text44 = { text: ["serverName"] } as const;
const map45 = { map: object43, names: text44, least: 1 } as const;
const object46 = { object: {
  "description": text32,
  "envFile": text2,
  "mcpServers": map45,
}, required: ["mcpServers"] } as const;
const text47 = { text: ["toolboxName"] } as const;
const map48 = { map: object46, names: text47 } as const;
const object49 = { object: {
  "$schema": text1,
  "envFile": text2,
  "openTimeoutMs": whole3,
  "openBudgetChars": whole4,
  "resultBudgetChars": whole5,
  "answerWithinMs": whole6,
  "shared": flag7,
  "http": object19,
  "runnerRefreshMs": whole6,
  "defaults": object31,
  "toolboxes": map48,
}, required: ["toolboxes"] } as const;

/** The schema of the configuration file, for the quick reader. */
export const configFileShape: Shape = object49;
