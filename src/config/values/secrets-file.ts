/** Beside the configuration: the values that `${secret:NAME}` stands for. */
export const secretsFileName = 'secrets.env';
