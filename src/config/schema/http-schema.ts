// The block `http` of the file. Only the service over HTTP uses it, so what its strings mean is judged there (`config/http/`).
import * as z from 'zod/mini';
import { builtInHttp } from '../values/http-defaults.js';
import { textChecks } from './checks.js';
import { ownCheck, strictKeys } from './schema-checks.js';
import { documented, optional, text } from './schema-values.js';

/** Verified with a public key alone. With `HS…` whoever can check a token can make one, and `none` is no signature. */
const signatureAlgorithms = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
] as const;

/** Each call is another schema: its description belongs to one key. */
const given = () => text.check(z.minLength(1));

const claimName = () =>
  z.string().check(
    ownCheck(textChecks.claimName, () => {
      const remedy = 'Write it as the issuer does, e.g. "groups". No variable is expanded in it.';
      return [{ what: 'Not the name of a claim.', remedy, atKey: true }];
    }),
  );

function count(name: keyof typeof builtInHttp.limits, description: string) {
  const number = z.number().check(z.multipleOf(1), z.gte(1), z.lte(1_000_000));
  return optional(number, description, { default: builtInHttp.limits[name] });
}

const login = z.object({
  clientId: documented(given(), 'The id of a client that is registered with the issuer for this service.'),
  clientSecret: optional(given(), 'Its secret, if it has one. Take it from a variable: `${NAME}`.'),
});

const auth = z.object({
  issuer: documented(given(), 'The authorization server whose tokens are accepted, exactly as it names itself.'),
  audience: optional(given(), 'The audience that every token needs. If not set, `url`.'),
  algorithms: optional(
    z.array(z.enum(signatureAlgorithms)).check(z.minLength(1)),
    'How tokens may be signed. Algorithms with a shared secret cannot be written.',
    { default: builtInHttp.algorithms },
  ),
  scopes: optional(z.array(given()), 'Scopes that every token needs.', { default: [] }),
  require: optional(
    z.map(claimName(), z.array(given()).check(z.minLength(1))),
    'Claims that every token needs, each with one of these values: `{ "groups": ["dev", "ops"] }`. Without it, everybody whom the issuer knows may call.',
  ),
  claims: optional(z.array(claimName()), 'Claims that entries may name, as in `${claim:email}`.', { default: [] }),
  login: optional(
    strictKeys(login),
    'A client of the issuer, with which users prove in a browser whose call it is. They need it to log in at remote servers.',
    { title: 'HttpLoginEntry' },
  ),
});

const limits = z.object({
  requestsPerSecond: count(
    'requestsPerSecond',
    'Requests of one user in a second, on average; twice as many may come at once.',
  ),
  inFlight: count('inFlight', 'Requests of one user that may run at the same time.'),
  processesPerUser: count('processesPerUser', 'Processes of servers that one user may have.'),
  processes: count('processes', 'Processes of servers of all users together.'),
});

const http = z.object({
  listen: optional(
    given(),
    'Where to listen, as `HOST:PORT`. Other addresses than loopback need `auth` and an https `url`.',
    { default: builtInHttp.listen },
  ),
  url: optional(
    given(),
    'The URL as clients see it, such as that of a proxy that ends TLS. Its path is the endpoint; without it `/mcp`. Needed unless `listen` is loopback.',
  ),
  auth: optional(strictKeys(auth), 'Who may call. Without it, one person, with a token of the service.', {
    title: 'HttpAuthEntry',
  }),
  origins: optional(z.array(given()), 'Web pages that may call, by their origins: `https://app.example.com`.', {
    default: [],
  }),
  limits: optional(strictKeys(limits), 'Limits that protect users from each other.', { title: 'HttpLimitsEntry' }),
});

export const httpKey = optional(
  strictKeys(http),
  'How agents are served over HTTP; sessions on stdio ignore it. See [HTTP](http.md#the-file).',
  { title: 'HttpEntry' },
);
