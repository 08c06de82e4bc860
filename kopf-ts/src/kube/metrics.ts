/** Told of every attempt of every request; `observe` counts them. */
export interface ClientMetrics {
  /**
   * `verb` is Kubernetes' (get, list, watch, create, update, patch, apply, delete, deletecollection) or, for raw requests,
   * the lower-case method; `code` is the HTTP status, 0 without an answer; `resource` is `pods` or `deployments.apps`,
   * empty for paths outside of resources; `seconds` run until the answer is complete, for streams until its head.
   */
  observe(verb: string, code: number, resource: string, seconds: number): void;
}
