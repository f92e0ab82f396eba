/** What applies where the block `http` gives nothing. */
export const builtInHttp = {
  listen: '127.0.0.1:4760',
  path: '/mcp',
  algorithms: ['RS256', 'ES256', 'EdDSA'],
  limits: { requestsPerSecond: 50, inFlight: 256, processesPerUser: 20, processes: 500 },
} as const;
