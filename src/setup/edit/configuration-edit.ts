interface Place {
  readonly toolbox: string;
  readonly server: string;
}

export interface NewToolbox {
  readonly kind: 'add toolbox';
  readonly toolbox: string;
  readonly description?: string | undefined;
}

/** A toolbox that has a description gets another one. */
export interface ToolboxDescription {
  readonly kind: 'describe toolbox';
  readonly toolbox: string;
  readonly description: string;
}

export interface NewServer extends Place {
  readonly kind: 'add server';
  /** As JSON has it, in our own form. */
  readonly entry: object;
  /** Lines above it, without the marks of a comment. */
  readonly comments?: readonly string[];
}

/** The last server of a toolbox takes the toolbox with it: one without servers would be a fault. */
export interface RemovedServer extends Place {
  readonly kind: 'remove server';
}

/** `value` undefined: the key is removed. */
export interface ServerKey extends Place {
  readonly kind: 'set key';
  readonly key: string;
  readonly value: unknown;
}

/** With its comments. The toolbox that it goes to must be there. */
export interface MovedServer extends Place {
  readonly kind: 'move server';
  readonly to: string;
}

/** A change of what a configuration says. */
export type ConfigurationEdit = NewToolbox | ToolboxDescription | NewServer | RemovedServer | ServerKey | MovedServer;
