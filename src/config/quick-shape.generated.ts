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
const flag14 = { flag: true } as const;
const whole15 = { whole: [1,2147483647] } as const;
const whole16 = { whole: [0,2147483647] } as const;
const whole17 = { whole: [1,1000000] } as const;
const whole18 = { whole: [0,1000000] } as const;
const whole19 = { whole: [1,500000000] } as const;
const words20 = { words: ["auto","legacy","2026-07-28"] } as const;
const object21 = { object: {
  "startTimeoutMs": whole15,
  "callTimeoutMs": whole15,
  "callTotalTimeoutMs": whole15,
  "idleTimeoutMs": whole16,
  "maxConcurrentCalls": whole17,
  "maxQueuedCalls": whole18,
  "maxMessageBytes": whole19,
  "maxResultBytes": whole19,
  "roots": flag14,
  "protocol": words20,
} } as const;
const object22 = { object: {
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
  "toolFilters": list11,
  "disabled": flag14,
  ...object21.object,
}, checks: ["target","headers"] } as const;
const text23 = { text: ["serverName"] } as const;
const map24 = { map: object22, names: text23, least: 1 } as const;
const object25 = { object: {
  "description": text2,
  "mcpServers": map24,
}, required: ["description","mcpServers"] } as const;
const text26 = { text: ["toolboxName"] } as const;
const map27 = { map: object25, names: text26 } as const;
const object28 = { object: {
  "$schema": text1,
  "toolboxes": map27,
  "openTimeoutMs": whole15,
  "openBudgetChars": whole19,
  "defaults": object21,
}, required: ["toolboxes"] } as const;

/** The schema of the configuration file, for the quick reader. */
export const configFileShape: Shape = object28;
