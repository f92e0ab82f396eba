/** The person or service that a session belongs to. */
export interface Principal {
  readonly id: string;
}

/** Of every session on stdio: the user of this computer. */
export const localUser: Principal = { id: 'local' };
