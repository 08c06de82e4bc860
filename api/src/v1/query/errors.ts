/** A parameter that cannot be understood: the client's mistake, told with the parameter's name. */
export class QueryError extends Error {
  override readonly name = "QueryError";
  readonly parameter: string;

  constructor(parameter: string, message: string) {
    super(message);
    this.parameter = parameter;
  }
}
