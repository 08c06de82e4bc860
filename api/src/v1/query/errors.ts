/** What else is known of a QueryError. */
export interface QueryErrorOptions extends ErrorOptions {
  readonly path?: string;
}

/** A parameter that cannot be understood: the client's mistake, told with the parameter's name. */
export class QueryError extends Error {
  override readonly name = "QueryError";
  readonly parameter: string;
  /** What was to be the path of a field, and is none. */
  readonly path: string | undefined;

  constructor(parameter: string, message: string, { path, ...options }: QueryErrorOptions = {}) {
    super(message, options);
    this.parameter = parameter;
    this.path = path;
  }
}
