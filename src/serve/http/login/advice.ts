// What users of a service read when a server needs a login that was not made, behind "needs a login: ".

export const loginsForbidden = 'the operator of this service has to allow logins ("login" in "auth" of "http")';

export const loginMissed =
  'retry this call in a client that shows links (URL elicitation), open the link and log in there';

export const noneForEveryone =
  'a server for everyone has no login of a person; the operator of this service has to give it credentials';
