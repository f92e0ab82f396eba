// Generated from schema.ts by `npm run generate`.
import type { Shape } from './shape.js';

const text1 = { text: [] } as const;
const text2 = { text: [], pattern: "\\S" } as const;
const words3 = { words: ["stdio","http","streamable-http","streamableHttp","sse"] } as const;
const text4 = { text: ["expandable"], least: 1 } as const;
const text5 = { text: ["expandable"] } as const;
const list6 = { list: text5 } as const;
const text7 = { text: ["variableName"] } as const;
const map8 = { map: text5, names: text7 } as const;
const text9 = { text: ["expandable","url"], least: 1 } as const;
const text10 = { text: ["headerName"] } as const;
const map11 = { map: text5, names: text10 } as const;
const flag12 = { flag: true } as const;
const whole13 = { whole: [1,2147483647] } as const;
const whole14 = { whole: [0,2147483647] } as const;
const whole15 = { whole: [1,1000000] } as const;
const whole16 = { whole: [0,1000000] } as const;
const whole17 = { whole: [1,500000000] } as const;
const words18 = { words: ["auto","legacy","2026-07-28"] } as const;
const object19 = { object: {
  "startTimeoutMs": whole13,
  "callTimeoutMs": whole13,
  "callTotalTimeoutMs": whole13,
  "idleTimeoutMs": whole14,
  "maxConcurrentCalls": whole15,
  "maxQueuedCalls": whole16,
  "maxMessageBytes": whole17,
  "maxResultBytes": whole17,
  "roots": flag12,
  "protocol": words18,
} } as const;
const object20 = { object: {
  "type": words3,
  "command": text4,
  "args": list6,
  "env": map8,
  "envFile": text4,
  "cwd": text4,
  "url": text9,
  "headers": map11,
  "toolFilters": list6,
  "disabled": flag12,
  ...object19.object,
}, checks: ["target"] } as const;
const text21 = { text: ["serverName"] } as const;
const map22 = { map: object20, names: text21, least: 1 } as const;
const object23 = { object: {
  "description": text2,
  "mcpServers": map22,
}, required: ["description","mcpServers"] } as const;
const text24 = { text: ["toolboxName"] } as const;
const map25 = { map: object23, names: text24 } as const;
const object26 = { object: {
  "$schema": text1,
  "toolboxes": map25,
  "openTimeoutMs": whole13,
  "openBudgetChars": whole17,
  "defaults": object19,
}, required: ["toolboxes"] } as const;

/** The schema of the configuration file, for the quick reader. */
export const configFileShape: Shape = object26;
